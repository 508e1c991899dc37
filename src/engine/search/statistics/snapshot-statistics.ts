import { decodeUtf8 } from "../../bytes/byte-reader.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import type { CollectionStatistics } from "../search-types.js";
import type { SegmentStatistics } from "./segment-statistics.js";

/** The statistics of several segments together: the same however documents are spread over them. */
export class SnapshotStatistics implements CollectionStatistics {
  readonly #segments: readonly SegmentStatistics[];
  readonly #fields: Map<string, { readonly docCount: number; readonly tokenCount: number }> = new Map();

  constructor(segments: readonly SegmentStatistics[]) {
    this.#segments = segments;
  }

  fieldStatistics(field: string): { readonly docCount: number; readonly tokenCount: number } {
    const known = this.#fields.get(field);
    if (known !== undefined) return known;
    let docCount = 0;
    let tokenCount = 0;
    for (const { segment } of this.#segments) {
      const terms = segment.terms(field);
      docCount += terms?.liveDocCount ?? 0;
      tokenCount += terms?.liveTokenCount ?? 0;
    }
    const statistics = { docCount, tokenCount };
    // Any name may be asked for, but only the schema's fields are worth remembering.
    if (docCount > 0) this.#fields.set(field, statistics);
    return statistics;
  }

  docFreq(field: string, term: string): number {
    let docFreq = 0;
    for (let segment = 0; segment < this.#segments.length; segment++) {
      const statistics = this.#segments[segment]!;
      const known = statistics.term(field, term);
      if (known !== null) docFreq += statistics.liveDocFreq(known);
    }
    return docFreq;
  }

  fuzzyTerms(
    field: string,
    term: string,
    maxDistance: number,
    interrupt: SearchInterrupt = NO_INTERRUPT,
  ): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const statistics of this.#segments) {
      const expansion = statistics.expansion(field, term, toDistance(maxDistance), interrupt);
      if (expansion === null) continue;
      const terms = statistics.segment.terms(field)!;
      for (let i = 0; i < expansion.ordinals.length; i++) {
        const ordinal = expansion.ordinals[i]!;
        // It may take a walk through postings, where documents are deleted.
        interrupt.check();
        if (!statistics.occurs(field, ordinal)) continue;
        found.set(decodeUtf8(terms.termBytes(ordinal)), expansion.distances[i]!);
      }
    }
    return found;
  }
}

function toDistance(maxDistance: number): 0 | 1 | 2 {
  if (maxDistance !== 0 && maxDistance !== 1 && maxDistance !== 2) {
    throw new RangeError(`an edit distance is 0, 1 or 2, got ${maxDistance}`);
  }
  return maxDistance;
}
