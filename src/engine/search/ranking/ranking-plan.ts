import type { PostingPlace } from "../../kernels/posting-image.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { Matcher, SegmentContext } from "../weights/matcher.js";

/** What scores. */
export type RankingLeaf = RankingTerm | RankingWord | RankingMarks | RankingNode;

/** One term in one field of a segment, scored by BM25. */
export interface RankingTerm {
  readonly kind: "term";
  readonly terms: FieldTerms;
  readonly place: PostingPlace;
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
  /** Variants at the smallest distance in the collection, and the others, nearer ones first. */
  readonly nearest: readonly PostingPlace[];
  readonly farther: readonly FartherVariants[];
}

/** A word's variants at one distance. */
export interface FartherVariants {
  /** Edits beyond the nearest ones'; above 0. */
  readonly steps: number;
  readonly places: readonly PostingPlace[];
}

/** Documents that all score the same: those that pass all filters, if there are any, and no exclusion. */
export interface RankingMarks {
  readonly kind: "marks";
  readonly filters: readonly Matcher[];
  readonly exclusions: readonly Matcher[];
  /** f32 above 0. */
  readonly score: number;
}

/**
 * A part of the query that does more than add up leaves, such as a phrase or a conjunction among
 * alternatives. Its matches are found and scored before the whole is ranked.
 */
export interface RankingNode {
  readonly kind: "node";
  /** Null: only its evaluator knows. */
  readonly plan: RankingPlan | null;
  /** What the plan's scores are multiplied with; f32. */
  readonly factor: number;
  /** The same with the factor. */
  readonly matcher: Matcher;
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
  /** There are no groups, and every document scores this that passes all filters and no exclusion. f32. */
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

/** What has a plan in segments where kernels know it. */
export interface PlannedMatcher extends Matcher {
  ranking(context: SegmentContext): RankingPlan | null;
}

/** Nothing in the segment matches. */
export const EMPTY_PLAN: RankingPlan = {
  groups: [],
  constantScore: null,
  phrase: null,
  filters: [],
  exclusions: [],
};

/** The plan of a single leaf. */
export function planOfLeaf(leaf: RankingLeaf): RankingPlan {
  return {
    groups: [{ leaves: [leaf], required: false }],
    constantScore: null,
    phrase: null,
    filters: [],
    exclusions: [],
  };
}

/**
 * A part of a larger query as leaves: its own, if all that it does is add them up one after the other,
 * else one that is all of it, as its sum then has to be rounded by itself. None: it matches nothing.
 *
 * @param plan the part's, null if it has none
 */
export function leavesOf(plan: RankingPlan | null, matcher: Matcher): readonly RankingLeaf[] {
  if (plan === null) return [{ kind: "node", plan, factor: 1, matcher }];
  const { groups, constantScore, phrase, filters, exclusions } = plan;
  if (constantScore !== null) {
    // No score at all can't be told from no match.
    return constantScore > 0
      ? [{ kind: "marks", filters, exclusions, score: constantScore }]
      : [{ kind: "node", plan: null, factor: 1, matcher }];
  }
  const [group] = groups;
  if (group === undefined) return [];
  const isSum =
    phrase === null &&
    filters.length === 0 &&
    exclusions.length === 0 &&
    groups.length === 1 &&
    (!group.required || group.leaves.length === 1);
  return isSum ? group.leaves : [{ kind: "node", plan, factor: 1, matcher }];
}

/** A plan of nothing but filters that all score, as one constant; null if it is another one. */
export function asConstant(plan: RankingPlan): RankingPlan | null {
  let score = 0;
  const filters = [...plan.filters];
  const exclusions = [...plan.exclusions];
  for (const { leaves, required } of plan.groups) {
    const leaf = leaves[0]!;
    if (!required || leaves.length !== 1 || leaf.kind !== "marks") return null;
    score = Math.fround(score + leaf.score);
    filters.push(...leaf.filters);
    exclusions.push(...leaf.exclusions);
  }
  return { groups: [], constantScore: score, phrase: null, filters, exclusions };
}
