import { ownText } from "../../bytes/own-text.js";
import type { PostingPlace } from "../../kernels/posting-image.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import type { FartherVariants } from "../ranking/ranking-plan.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { CollectionStatistics } from "../search-types.js";
import { inverseDocumentFrequency } from "../similarity/bm25-similarity.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";

/** Variants in one field of a segment that are remembered; more of them cost more to walk than to find again. */
const REMEMBERED_MAX = 64;

/** What is asked of a word's variants. */
export interface WordQuery {
  readonly term: string;
  readonly maxDistance: 0 | 1 | 2;
  /** Fields whose statistics count. */
  readonly names: readonly string[];
}

/** A word's variants in one field of a segment, without those that only deleted documents of the collection hold. */
export interface FieldVariants {
  readonly terms: FieldTerms;
  /** At the smallest distance in the collection. */
  readonly nearest: readonly PostingPlace[];
  /** One step beyond that, then two; those that there are. */
  readonly farther: readonly FartherVariants[];
  /** Of all of them, by steps from the nearest on. */
  readonly ordinals: readonly (readonly number[])[];
  /** Live documents that are sure to hold one of the nearest. */
  readonly nearestDocs: number;
}

/** A typo-tolerant word: what its scores depend on, and where segments have its variants, each found once. */
export class BoundWord {
  readonly query: WordQuery;
  /** Smallest distance of a variant in any live document; the query's maximum + 1 if there is none. */
  readonly nearestDistance: number;
  readonly inverseDocFreq: number;
  readonly #segments: SegmentStatistics[] = [];
  /** By place in `#segments`. */
  readonly #fields: string[] = [];
  readonly #variants: (FieldVariants | null)[] = [];
  /** What was asked for last; searches ask in the same order again and again. */
  #last = 0;

  constructor(query: WordQuery, statistics: CollectionStatistics, interrupt: SearchInterrupt) {
    this.query = query;
    const { names, term, maxDistance } = query;
    const variants = names.map((name) => statistics.fuzzyTerms(name, term, maxDistance, interrupt));
    let nearest = maxDistance + 1;
    for (const terms of variants) {
      for (const distance of terms.values()) nearest = Math.min(nearest, distance);
    }
    this.nearestDistance = nearest;
    let docFreq = 0;
    let docCount = 0;
    names.forEach((name, i) => {
      let fieldDocFreq = 0;
      for (const [variant, distance] of variants[i]!) {
        if (distance !== nearest) continue;
        interrupt.check();
        fieldDocFreq += statistics.docFreq(name, variant);
      }
      docFreq = Math.max(docFreq, fieldDocFreq);
      docCount = Math.max(docCount, statistics.fieldStatistics(name).docCount);
    });
    this.inverseDocFreq = inverseDocumentFrequency(docFreq, docCount);
  }

  /**
   * Null if the segment has none in the field.
   *
   * @throws FindlingError `search_timeout`
   */
  in(statistics: SegmentStatistics, field: string, interrupt: SearchInterrupt): FieldVariants | null {
    const count = this.#segments.length;
    for (let tried = 0, place = this.#last + 1; tried < count; tried++, place++) {
      if (place >= count) place = 0;
      if (this.#segments[place] !== statistics || this.#fields[place] !== field) continue;
      this.#last = place;
      return this.#variants[place]!;
    }
    const variants = this.#find(statistics, field, interrupt);
    if (variants === null || variantCount(variants) <= REMEMBERED_MAX) {
      this.#last = this.#segments.push(statistics) - 1;
      this.#fields.push(ownText(field));
      this.#variants.push(variants);
    }
    return variants;
  }

  #find(statistics: SegmentStatistics, field: string, interrupt: SearchInterrupt): FieldVariants | null {
    const terms = statistics.segment.terms(field);
    const expansion = statistics.expansion(field, this.query.term, this.query.maxDistance, interrupt);
    if (terms === null || expansion === null) return null;
    const levels: PostingPlace[][] = [[], [], []];
    const ordinals: number[][] = [[], [], []];
    let nearestDocs = 0;
    for (let i = 0; i < expansion.ordinals.length; i++) {
      const ordinal = expansion.ordinals[i]!;
      const steps = expansion.distances[i]! - this.nearestDistance;
      if (steps < 0) continue;
      levels[steps]!.push(terms.placeOf(ordinal));
      ordinals[steps]!.push(ordinal);
      if (steps > 0) continue;
      // It may take a walk through postings, where documents are deleted.
      interrupt.check();
      nearestDocs = Math.max(nearestDocs, statistics.docFreq(field, ordinal));
    }
    const farther: FartherVariants[] = [];
    for (let steps = 1; steps < levels.length; steps++) {
      if (levels[steps]!.length > 0) farther.push({ steps, places: levels[steps]! });
    }
    const nearest = levels[0]!;
    if (nearest.length + farther.length === 0) return null;
    return { terms, nearest, farther, ordinals, nearestDocs };
  }
}

function variantCount({ nearest, farther }: FieldVariants): number {
  return farther.reduce((sum, { places }) => sum + places.length, nearest.length);
}
