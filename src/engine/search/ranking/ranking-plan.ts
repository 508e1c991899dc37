import type { FieldTerms } from "../../segment/segment-reader.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { Matcher } from "../weights/matcher.js";

/** What scores: a term or a typo-tolerant word. */
export type RankingLeaf = RankingTerm | RankingWord;

/** One term in one field of a segment, scored by BM25. */
export interface RankingTerm {
  readonly kind: "term";
  readonly terms: FieldTerms;
  readonly ordinal: number;
  /** f32, at least 0. */
  readonly weight: number;
  readonly similarity: Bm25Similarity;
}

/** A word with variants in the segment, scored as docs/adr/0003-fuzzy-scoring.md says. */
export interface RankingWord {
  readonly kind: "word";
  readonly inverseDocFreq: number;
  /** At least one, in the query's order; each has a variant. */
  readonly fields: readonly RankingWordField[];
  /** What documents that hold none of the nearest variants score at most. */
  readonly fartherScoreMax: number;
  /** What such a document scores; documents ascend from call to call. */
  readonly fartherScore: (docId: number) => number;
}

export interface RankingWordField {
  readonly terms: FieldTerms;
  /** f32 without idf, at least 0. */
  readonly weight: number;
  readonly similarity: Bm25Similarity;
  /** Ordinals of the variants at the smallest distance in the collection, and of the others. */
  readonly nearest: readonly number[];
  readonly farther: readonly number[];
}

/** Documents match that hold any of its leaves; they score the leaves' sum, in order. */
export interface RankingGroup {
  readonly leaves: readonly RankingLeaf[];
  /** Whether a document has to match it. */
  readonly required: boolean;
}

/**
 * A query over one segment in the shape that kernels know: what documents score is the sum of the
 * groups' sums, in order, just as the query's evaluators would add it up. A document matches that
 * matches every required group, or any group if none is required, and every filter and no exclusion.
 */
export interface RankingPlan {
  /** None, and no constant score: nothing matches. */
  readonly groups: readonly RankingGroup[];
  /** There are no groups, and every document scores this that matches all filters, at least one. */
  readonly constantScore: number | null;
  /**
   * The leaves are tokens of a phrase: only documents match in which they stand at these distances, and
   * these score as one term that is as frequent as the phrase, by the leaves' common weight.
   */
  readonly phrase: readonly RankingToken[] | null;
  readonly filters: readonly Matcher[];
  readonly exclusions: readonly Matcher[];
}

export interface RankingToken {
  /** Number of the leaf that is the token. */
  readonly list: number;
  /** Positions after the phrase's first token; ascending. */
  readonly offset: number;
}

/** Nothing in the segment matches. */
export const EMPTY_PLAN: RankingPlan = {
  groups: [],
  constantScore: null,
  phrase: null,
  filters: [],
  exclusions: [],
};

/**
 * The leaves of a plan that does nothing but add them up, as a child of a larger one; null if it does
 * more, as their sum would then have to be rounded by itself.
 */
export function leavesOf(plan: RankingPlan): readonly RankingLeaf[] | null {
  if (plan.constantScore !== null || plan.phrase !== null) return null;
  if (plan.filters.length > 0 || plan.exclusions.length > 0) return null;
  const leaves: RankingLeaf[] = [];
  for (const group of plan.groups) {
    if (group.required && plan.groups.length > 1) return null;
    leaves.push(...group.leaves);
  }
  return leaves;
}
