import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { WordLevel } from "../../kernels/word-table.js";
import type { Matcher, SegmentContext } from "../plan/matcher.js";
import type { CoverLeaf, PlanLeaf, QueryPlan, RowLeaf, WordLeaf } from "../plan/query-plan.js";
import { STEM_STEPS } from "../similarity/fuzzy-scoring.js";
import { acceptedBits, COUNTED, OF_WORD, TIER } from "./accepted-documents.js";
import type { KernelRanking } from "./plan-run.js";
import { RankingRequest } from "./ranking-request.js";
import { markLeaf } from "./score-leaves.js";

/** The documents that hold all words of a query without a slip, where these are all that is ranked. */
export interface FirstTier {
  /** Ranks those alone, each as the whole plan would. */
  readonly plan: QueryPlan;
  readonly request: RankingRequest;
  /** Address of their bits. */
  readonly bits: number;
  /** What is told of them, with the count and the matches of the whole plan. */
  withAll(ranking: KernelRanking): KernelRanking;
}

/**
 * Where more documents hold all words of a query without a slip than hits are wanted, these are the hits: they come before
 * all others, which are only counted, by bits. Null where they are fewer, or other things count.
 */
export function firstTier(
  kernels: SegmentKernels,
  plan: QueryPlan,
  context: SegmentContext,
  request: RankingRequest,
): FirstTier | null {
  const { limit, leastScore, withCount, withMatches, mayList } = request;
  const cover = onlyCover(plan);
  if (cover === null || limit === 0 || request.decay !== null) return null;
  /** By word: what of it makes no slip. */
  const nearests = new Map(wordsOf(cover)?.map((word) => [word, nearest(word)]));
  const words = [...nearests.values()];
  if (words.length === 0 || words.some((word) => areFewer(word, limit))) return null;
  const { bitsets, functions, layout } = kernels;
  const { bitsetBytes } = layout;
  const bits = bitsets.addressOf(TIER);
  const counted = bitsets.addressOf(COUNTED);
  const ofWord = bitsets.addressOf(OF_WORD);
  functions.clearBits(counted, bitsetBytes);
  for (let i = 0; i < words.length; i++) {
    context.pool.interrupt.check();
    const target = i === 0 ? bits : ofWord;
    functions.clearBits(target, bitsetBytes);
    markWord(words[i]!, context, kernels, target);
    functions.orBits(counted, target, bitsetBytes);
    if (i > 0) functions.andBits(bits, ofWord, bitsetBytes);
  }
  const accepted = acceptedBits(plan, context, kernels);
  if (accepted !== 0) functions.andBits(bits, accepted, bitsetBytes);
  if (functions.countBits(bits, bitsetBytes) < limit) return null;
  const { leaves, required } = plan.groups[0]!;
  let count = 0;
  if (withCount || withMatches) {
    for (const leaf of leaves) {
      context.pool.interrupt.check();
      if (leaf.kind === "word" && nearests.has(leaf)) markWord(slipsOf(leaf), context, kernels, counted);
      else if (leaf.kind === "word" || leaf.kind === "nested") leaf.matcher.mark(context, kernels, counted);
    }
    if (accepted !== 0) functions.andBits(counted, accepted, bitsetBytes);
    count = functions.countBits(counted, bitsetBytes);
  }
  const own = <Leaf extends PlanLeaf | null>(leaf: Leaf): Leaf | WordLeaf =>
    leaf?.kind === "word" ? (nearests.get(leaf) ?? leaf) : leaf;
  const readings = cover.readings.map((reading) => ({ ...reading, leaf: own(reading.leaf) }));
  const ranked = new RankingRequest(limit, false, false, mayList);
  ranked.leastScore = leastScore;
  return {
    plan: {
      ...plan,
      groups: [
        { leaves: leaves.map((leaf) => (leaf === cover ? { ...cover, readings } : own(leaf))), required },
      ],
      filters: [marked(bits)],
      exclusions: [],
    },
    request: ranked,
    bits,
    withAll: (ranking) => ({
      ...ranking,
      count,
      matches: withMatches ? bitsets.at(counted) : null,
      listed: 0,
      kernels,
    }),
  };
}

/** The cover of a plan that is nothing but its words; null of another, or where other documents may come between. */
function onlyCover({ groups, constantScore, phrase }: QueryPlan): CoverLeaf | null {
  if (groups.length !== 1 || constantScore !== null || phrase !== null) return null;
  const group = groups[0]!;
  const cover = group.leaves[group.leaves.length - 1]!;
  if (cover.kind !== "cover" || !cover.areTiersApart || cover.added !== null) return null;
  return group.leaves.length === cover.beside + 1 ? cover : null;
}

/** The words that a document holds which holds all of them without a slip; null if it may hold others instead. */
function wordsOf({ cover, readings }: CoverLeaf): readonly WordLeaf[] | null {
  const needed = cover.withoutSlips(readings.map(({ slips }) => slips));
  const leaves = needed?.map((reading) => readings[reading]!.leaf) ?? [];
  const words = leaves.filter((leaf) => leaf?.kind === "word");
  return words.length === 0 || words.length < leaves.length ? null : words;
}

/** A word without its slips. */
function nearest({ levels, rows, ...word }: WordLeaf): WordLeaf {
  return {
    ...word,
    levels: levels.filter((level) => isNearest(level, rows)),
    rows: rows === null || rows.areSlips ? null : rows,
  };
}

/** What of a word makes a slip. */
function slipsOf({ levels, rows }: WordLeaf): Pick<WordLeaf, "levels" | "rows"> {
  return {
    levels: levels.filter((level) => !isNearest(level, rows)),
    rows: rows?.areSlips === true ? rows : null,
  };
}

/** Documents that share the stem hold the word. */
function isNearest({ steps }: WordLevel, rows: RowLeaf | null): boolean {
  if (rows?.areFirst === true) return false;
  return steps === 0 || steps === STEM_STEPS;
}

/** Whether so few documents hold a word that hits need others. */
function areFewer({ levels, rows }: WordLeaf, limit: number): boolean {
  let postings = 0;
  for (const { places } of levels) for (const { docFreq } of places) postings += docFreq;
  return rows === null && postings < limit;
}

/** Adds a word's documents to bits. */
function markWord(
  { levels, rows }: Pick<WordLeaf, "levels" | "rows">,
  context: SegmentContext,
  kernels: SegmentKernels,
  target: number,
): void {
  for (const { image, places } of levels) kernels.termBits.or(target, image, places);
  if (rows !== null) markLeaf(kernels, rows.leaf, context, target);
}

/** Finds the documents of a bitset. */
function marked(bits: number): Matcher {
  return {
    mark: (_context, { functions, layout }, target) => functions.orBits(target, bits, layout.bitsetBytes),
    evaluator: () => null,
    numbers: () => null,
  };
}
