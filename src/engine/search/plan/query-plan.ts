import type { PostingPlace } from "../../kernels/posting-image.js";
import type { WordLevel } from "../../kernels/word-table.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import type { Nearness } from "../evaluators/nearness.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { WordCover } from "../similarity/word-cover.js";
import type { Matcher } from "./matcher.js";

/**
 * What a query asks of one segment, as every weight gives it and `ranking/` carries it out: what documents score is the
 * sum of the groups' sums, in order, just as the query's evaluators would add it up. A document matches that matches
 * every required group, or any group if none is required, and every filter and no exclusion.
 */
export interface QueryPlan {
  /** None, and no constant score: nothing matches. */
  readonly groups: readonly PlanGroup[];
  /** There are no groups, and every document scores this that passes all filters and no exclusion. f32. */
  readonly constantScore: number | null;
  /**
   * The leaves are tokens of a phrase: only documents match in which they stand at these distances, and
   * these score as one term that is as frequent as the phrase, by the leaves' common weight.
   */
  readonly phrase: readonly PhraseToken[] | null;
  readonly filters: readonly Matcher[];
  readonly exclusions: readonly Matcher[];
}

/** Documents match that hold any of its leaves; they score the leaves' sum, in order. */
export interface PlanGroup {
  readonly leaves: readonly PlanLeaf[];
  /** Whether a document has to match it. */
  readonly required: boolean;
}

/** What scores. */
export type PlanLeaf = TermLeaf | ConstantLeaf | WordLeaf | NestedLeaf | CoverLeaf;

/** One term in one field of a segment, scored by BM25. */
export interface TermLeaf {
  readonly kind: "term";
  readonly terms: FieldTerms;
  readonly place: PostingPlace;
  /** f32, at least 0. */
  readonly weight: number;
  readonly similarity: Bm25Similarity;
}

/** Documents that all score the same: those that pass all filters, if there are any, and no exclusion. */
export interface ConstantLeaf {
  readonly kind: "constant";
  readonly filters: readonly Matcher[];
  readonly exclusions: readonly Matcher[];
  /** f32 above 0. */
  readonly score: number;
}

/**
 * A typo-tolerant word's variants in the segment, scored as docs/adr/0003-fuzzy-scoring.md says. Its documents are
 * found and scored before the whole is ranked.
 */
export interface WordLeaf {
  readonly kind: "word";
  /** The nearest first, those of equal steps one after the other, in the query's order of fields; none if there are rows alone. */
  readonly levels: readonly WordLevel[];
  /** What else the word may be written as; null: nothing in the segment. */
  readonly rows: RowLeaf | null;
  readonly matcher: Matcher;
}

/** Rows that a word may be written as: a document scores the greater of the word's and theirs. */
export interface RowLeaf {
  /** Scores BM25 without idf. */
  readonly leaf: WordLeaf | NestedLeaf;
  /** Whether they are slips, as other documents hold the word itself; else they are as good as its nearest variants. */
  readonly areSlips: boolean;
  /** Whether they come before the nearest variants, which are slips then. */
  readonly areFirst: boolean;
  /** What a document scores for that. */
  scoreOf(termScore: number): number;
}

/**
 * A part of the query that does more than add up leaves, such as a phrase or a conjunction among
 * alternatives. Its matches are found and scored before the whole is ranked.
 */
export interface NestedLeaf {
  readonly kind: "nested";
  /** Null: only its evaluator knows. */
  readonly plan: QueryPlan | null;
  /** What the plan's scores are multiplied with; f32. */
  readonly factor: number;
  /** Finds the same with the factor. */
  readonly matcher: Matcher;
}

/**
 * Documents that hold all words of a query, scored by how few slips they hold them with. They are found among those of
 * its readings, which are found and scored before.
 */
export interface CoverLeaf {
  readonly kind: "cover";
  readonly cover: WordCover;
  /** f32 above 0; see `tierScore`. */
  readonly unit: number;
  /** Whether documents with fewer slips always score more, together with the leaves beside it. */
  readonly areTiersApart: boolean;
  /** How many leaves before it are of the same words: what these score besides. */
  readonly beside: number;
  /** One for each of the cover's readings. */
  readonly readings: readonly CoverReading[];
  /** What is added to a document's tier, in order: null: nothing. */
  readonly added: readonly (WordLeaf | NestedLeaf)[] | null;
  /** What documents without a slip score besides; null: nothing. */
  readonly nearness: Nearness | null;
}

/** What stands for some of the words in the segment. */
export interface CoverReading {
  /** May be among the leaves that score; null: nothing in the segment. */
  readonly leaf: WordLeaf | NestedLeaf | null;
  /** Slips that it takes for granted. */
  readonly slips: number;
  /** Slips of a document that it scores. */
  slipsOf(score: number): number;
}

export interface PhraseToken {
  /** Number of the leaf that is the token. */
  readonly list: number;
  /** Positions after the phrase's first token; ascending. */
  readonly offset: number;
}

/** Nothing in the segment matches. */
export const EMPTY_PLAN: QueryPlan = {
  groups: [],
  constantScore: null,
  phrase: null,
  filters: [],
  exclusions: [],
};

export function isEmptyPlan({ groups, constantScore }: QueryPlan): boolean {
  return groups.length === 0 && constantScore === null;
}

/** The plan of a single leaf. */
export function planOfLeaf(leaf: PlanLeaf): QueryPlan {
  return {
    groups: [{ leaves: [leaf], required: false }],
    constantScore: null,
    phrase: null,
    filters: [],
    exclusions: [],
  };
}

/** A plan as one leaf, whose documents and scores are found by themselves; null: it matches nothing. */
export function oneLeafOf(plan: QueryPlan, matcher: Matcher): WordLeaf | NestedLeaf | null {
  const [group, second] = plan.groups;
  if (group === undefined && plan.constantScore === null) return null;
  const isPlain =
    second === undefined && plan.filters.length + plan.exclusions.length === 0 && plan.phrase === null;
  if (isPlain && group !== undefined && group.leaves.length === 1) {
    const leaf = group.leaves[0]!;
    if (leaf.kind === "word" || leaf.kind === "nested") return leaf;
  }
  const isEvaluated = plan.constantScore !== null || isOnlyEvaluated(plan);
  return { kind: "nested", plan: isEvaluated ? null : plan, factor: 1, matcher };
}

/** The plan of what only an evaluator knows. */
export function evaluatedPlan(matcher: Matcher): QueryPlan {
  return planOfLeaf({ kind: "nested", plan: null, factor: 1, matcher });
}

/** The plan of documents that all score the same. @param score f32, at least 0 */
export function constantPlan(score: number, filters: readonly Matcher[]): QueryPlan {
  return { groups: [], constantScore: score, phrase: null, filters, exclusions: [] };
}

/**
 * A part of a larger query as leaves: its own, if all that it does is add them up one after the other,
 * else one that is all of it, as its sum then has to be rounded by itself. None: it matches nothing.
 */
export function leavesOf(plan: QueryPlan, matcher: Matcher): readonly PlanLeaf[] {
  const { groups, constantScore, phrase, filters, exclusions } = plan;
  if (constantScore !== null) {
    // No score at all can't be told from no match.
    return constantScore > 0
      ? [{ kind: "constant", filters, exclusions, score: constantScore }]
      : [{ kind: "nested", plan: null, factor: 1, matcher }];
  }
  const [group] = groups;
  if (group === undefined) return [];
  const isSum =
    phrase === null &&
    filters.length === 0 &&
    exclusions.length === 0 &&
    groups.length === 1 &&
    (!group.required || group.leaves.length === 1);
  if (isSum) return group.leaves;
  return [{ kind: "nested", plan: isOnlyEvaluated(plan) ? null : plan, factor: 1, matcher }];
}

/** A plan of nothing but filters that all score, as one constant; null if it is another one. */
export function asConstant(plan: QueryPlan): QueryPlan | null {
  let score = 0;
  const filters = [...plan.filters];
  const exclusions = [...plan.exclusions];
  for (const { leaves, required } of plan.groups) {
    const leaf = leaves[0]!;
    if (!required || leaves.length !== 1 || leaf.kind !== "constant") return null;
    score = Math.fround(score + leaf.score);
    filters.push(...leaf.filters);
    exclusions.push(...leaf.exclusions);
  }
  return { groups: [], constantScore: score, phrase: null, filters, exclusions };
}

/** Whether kernels would only put together what evaluators find. */
export function isOnlyEvaluated({ groups, constantScore }: QueryPlan): boolean {
  return (
    constantScore === null &&
    groups.every(({ leaves }) => leaves.every((leaf) => leaf.kind === "nested" && leaf.plan === null))
  );
}
