import { shownTerm } from "../../../analysis/stem-terms.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { WordLevel } from "../../kernels/word-table.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import { WINDOW_SIZE } from "../evaluators/evaluator.js";
import { FuzzyEvaluator } from "../evaluators/fuzzy-evaluator.js";
import { PostingWindow } from "../evaluators/posting-window.js";
import type { SegmentContext } from "../plan/matcher.js";
import { EMPTY_PLAN, evaluatedPlan, planOfLeaf, type QueryPlan } from "../plan/query-plan.js";
import type { FuzzyQuery } from "../query.js";
import type { Explanation } from "../search-types.js";
import {
  type Bm25Similarity,
  inverseDocumentFrequency,
  NODE_SCORE_MAX,
  SATURATION_LIMIT,
  WRITTEN_WEIGHT,
} from "../similarity/bm25-similarity.js";
import { STEM_STEPS } from "../similarity/fuzzy-scoring.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import { eachMatch } from "./explain-matches.js";
import type { QueryBinding } from "./query-binding.js";
import { Weight } from "./weight.js";

interface FuzzyField {
  readonly name: string;
  readonly boost: number;
  readonly similarity: Bm25Similarity;
  /** Whether some documents with the stem hold the word as it is written, and others don't. */
  readonly isWrittenApart: boolean;
}

/** A word's variants at one distance in one field of a segment; those with the same steps are one level. */
interface VariantLevel {
  readonly distance: number;
  /** Edits beyond the nearest variants', or `STEM_STEPS`. */
  readonly steps: number;
  readonly field: FuzzyField;
  readonly boost: number;
  readonly terms: FieldTerms;
  readonly ordinals: readonly number[];
}

/** Documents that hold a word or a variant of it; scores as docs/adr/0003-fuzzy-scoring.md says. */
export class FuzzyWeight extends Weight {
  readonly #query: FuzzyQuery;
  readonly #fields: readonly FuzzyField[];
  /** Smallest distance of a variant in any live document; the query's maximum + 1 if there is none. */
  readonly #nearestDistance: number;
  readonly #inverseDocFreq: number;
  /** How documents with the stem stand to those with the word; `unasked` where no live document has it. */
  readonly #stemRank: "alike" | "below" | "unasked";

  /** @throws FindlingError as `QueryBinding.textField`; `search_timeout` */
  constructor(query: FuzzyQuery, binding: QueryBinding) {
    super();
    const { term, stem, maxDistance, fields, statisticsFields } = query;
    const { statistics, interrupt } = binding;
    this.#query = query;
    this.#fields = fields.map(({ field, boost }) => {
      const { similarity } = binding.textField(field);
      const isWrittenApart =
        stem !== undefined && statistics.docFreq(field, term) !== statistics.docFreq(field, stem.term);
      return { name: field, boost, similarity, isWrittenApart };
    });
    const names = statisticsFields ?? fields.map(({ field }) => field);
    const stemDocFreq = stem === undefined ? 0 : greatestDocFreq(stem.term, names, binding);
    let nearest = stemDocFreq > 0 ? 0 : maxDistance + 1;
    for (const name of nearest === 0 ? [] : names) {
      nearest = Math.min(nearest, statistics.variantDistance(name, term, maxDistance, interrupt));
    }
    let docFreq = stemDocFreq;
    let docCount = 0;
    for (const name of names) {
      const own = statistics.variantDocFreq(name, term, maxDistance, nearest, interrupt);
      docFreq = Math.max(docFreq, own);
      docCount = Math.max(docCount, statistics.fieldStatistics(name).docCount);
    }
    this.#nearestDistance = nearest;
    if (stemDocFreq === 0) this.#stemRank = "unasked";
    else this.#stemRank = stem!.ranksBelow && greatestDocFreq(term, names, binding) > 0 ? "below" : "alike";
    this.#inverseDocFreq = inverseDocumentFrequency(docFreq, docCount);
  }

  evaluator(context: SegmentContext): FuzzyEvaluator | null {
    const variants = this.#levels(context).map(({ distance, steps, boost, terms, ordinals, field }) => ({
      distance,
      steps,
      postings: ordinals.map((ordinal) => new PostingWindow(terms.postings(ordinal), context.pool)),
      norms: terms.norms,
      lengthNorms: field.similarity.lengthNorms,
      boost,
    }));
    if (variants.length === 0) return null;
    return new FuzzyEvaluator({
      variants,
      inverseDocFreq: this.#inverseDocFreq,
      pool: context.pool,
    });
  }

  override plan(context: SegmentContext): QueryPlan {
    const found = this.#levels(context);
    if (found.length === 0) return EMPTY_PLAN;
    const levels: WordLevel[] = [];
    for (let i = 0; i < found.length; i++) {
      const { terms, field, steps, boost, ordinals } = found[i]!;
      const weight = Math.min(Math.fround(boost * SATURATION_LIMIT), NODE_SCORE_MAX);
      if (!(weight > 0)) return evaluatedPlan(this);
      levels.push({
        image: terms.image!,
        weight,
        lengthNorms: field.similarity.lengthNorms,
        inverseDocFreq: this.#inverseDocFreq,
        steps,
        places: ordinals.map((ordinal) => terms.placeOf(ordinal)),
      });
    }
    return planOfLeaf({ kind: "word", levels, matcher: this });
  }

  override mark(context: SegmentContext, kernels: SegmentKernels, target: number): void {
    for (const { terms, ordinals } of this.#levels(context)) {
      const places = ordinals.map((ordinal) => terms.placeOf(ordinal));
      kernels.termBits.or(target, terms.image!, places);
    }
  }

  /**
   * By distance from the nearest of the collection on, then in the query's order of fields: those that there are in the
   * segment. Nearer ones are in deleted documents only.
   */
  #levels({ segment, statistics, pool }: SegmentContext): VariantLevel[] {
    const { term, maxDistance } = this.#query;
    const isStemAlike = this.#stemRank === "alike";
    const levels: VariantLevel[] = [];
    for (let distance = this.#nearestDistance; distance <= maxDistance; distance++) {
      const steps = distance - this.#nearestDistance;
      for (const field of this.#fields) {
        const terms = segment.terms(field.name);
        const expansion = statistics.expansion(field.name, term, maxDistance, pool.interrupt);
        if (terms === null || expansion === null) continue;
        const stems = distance === 0 && isStemAlike ? this.#stemLevel(field, 0, statistics) : null;
        if (stems !== null) levels.push(stems);
        if (stems !== null && !field.isWrittenApart) continue;
        const ordinals: number[] = [];
        for (let i = 0; i < expansion.ordinals.length; i++) {
          if (expansion.distances[i] === distance) ordinals.push(expansion.ordinals[i]!);
        }
        // The stem has counted what the word is found by; this tells documents apart that hold it.
        const boost = stems === null ? field.boost : WRITTEN_WEIGHT * field.boost;
        if (ordinals.length > 0) levels.push({ distance, steps, field, boost, terms, ordinals });
      }
      if (distance > 0 || this.#stemRank !== "below") continue;
      for (const field of this.#fields) {
        const stems = this.#stemLevel(field, STEM_STEPS, statistics);
        if (stems !== null) levels.push(stems);
      }
    }
    return levels;
  }

  #stemLevel(field: FuzzyField, steps: number, statistics: SegmentStatistics): VariantLevel | null {
    const found = statistics.term(field.name, this.#query.stem!.term);
    if (found === null) return null;
    const { terms, ordinal } = found;
    return { distance: 0, steps, field, boost: field.boost, terms, ordinals: [ordinal] };
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const { term, stem, maxDistance } = this.#query;
    const byStem = stem === undefined ? "" : ` or by its stem '${shownTerm(stem.term)}'`;
    const description = `fuzzy word '${term}' within ${maxDistance} edits${byStem}`;
    // Of the collection, and so the same for all documents.
    const details: readonly Explanation[] = [
      { value: this.#inverseDocFreq, description: "idf of the word's nearest variants", details: [] },
      {
        value: this.#nearestDistance,
        description: "edits to the nearest variant in the collection",
        details: [],
      },
    ];
    const evaluator = this.evaluator(context);
    const distances = evaluator?.keepDistances();
    return eachMatch(evaluator, docIds, context.pool, (score, _place, docId) => ({
      value: score,
      description,
      details: [
        ...details,
        {
          value: distances![docId % WINDOW_SIZE]!,
          description: "edits to this document's nearest variant",
          details: [],
        },
      ],
    }));
  }
}

/** Live documents with the term, in the field where it is most common. */
function greatestDocFreq(term: string, fields: readonly string[], { statistics }: QueryBinding): number {
  return fields.reduce((most, field) => Math.max(most, statistics.docFreq(field, term)), 0);
}
