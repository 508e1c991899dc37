import { firstAtOrAfter } from "../../bytes/first-at-or-after.js";
import type { ScoredDocs, ScoredRoom } from "../../kernels/scored-docs.js";
import { ALL_HITS, NO_SCORE, type SegmentKernels } from "../../kernels/segment-kernels.js";
import { evaluateWindows } from "../evaluators/evaluate-windows.js";
import { lowestBit } from "../evaluators/window-bits.js";
import type { Matcher, SegmentContext } from "../plan/matcher.js";
import type { NestedLeaf, PlanLeaf, QueryPlan, RowLeaf, WordLeaf } from "../plan/query-plan.js";
import { NODE_SCORE_MAX } from "../similarity/bm25-similarity.js";
import { WORKING } from "./accepted-documents.js";
import { addLists } from "./plan-lists.js";
import { PlanRun } from "./plan-run.js";
import { RankingRequest } from "./ranking-request.js";
import { scoreCover } from "./score-cover.js";

/** All matches with their scores, which neither decay nor leave any out. */
const ALL_MATCHES = new RankingRequest(0, true, true, false);

/** What a plan without words and nested leaves has. */
const NONE: readonly (ScoredDocs | null)[] = [];

/**
 * What each of the plan's words and nested leaves matches, null: nothing. All of it null if one can't be had: there is
 * no room, or a score too small for kernels. They use the kernels that the plan itself uses afterwards.
 *
 * @param accepted address of the bits of the documents that words are looked for in; 0: in all
 */
export function scoreLeaves(
  kernels: SegmentKernels,
  { groups }: QueryPlan,
  context: SegmentContext,
  accepted = 0,
): readonly (ScoredDocs | null)[] | null {
  let scored: (ScoredDocs | null)[] | null = null;
  let known: Map<PlanLeaf, ScoredDocs | null> | null = null;
  for (let group = 0; group < groups.length; group++) {
    const { leaves } = groups[group]!;
    for (let i = 0; i < leaves.length; i++) {
      const leaf = leaves[i]!;
      if (leaf.kind === "term" || leaf.kind === "constant") continue;
      context.pool.interrupt.check();
      const own =
        leaf.kind === "cover"
          ? scoreCover(kernels, leaf, (reading) => {
              const found = known?.get(reading);
              return found === undefined ? scoreLeaf(kernels, reading, context, accepted) : found;
            })
          : scoreLeaf(kernels, leaf, context, accepted);
      if (own === "impossible") return null;
      scored ??= [];
      scored.push(own);
      known ??= new Map();
      known.set(leaf, own);
    }
  }
  return scored ?? NONE;
}

function scoreLeaf(
  kernels: SegmentKernels,
  leaf: WordLeaf | NestedLeaf,
  context: SegmentContext,
  accepted: number,
): ScoredDocs | null | "impossible" {
  if (leaf.kind === "word") return scoreWord(kernels, leaf, context, accepted);
  return scoreNested(kernels, leaf, context);
}

/** Adds what a word or a nested leaf without filters matches to bits; they are none that plans use. */
export function markLeaf(
  kernels: SegmentKernels,
  leaf: WordLeaf | NestedLeaf,
  context: SegmentContext,
  target: number,
): void {
  const found = scoreLeaf(kernels, leaf, context, 0);
  if (found === "impossible") leaf.matcher.mark(context, kernels, target);
  else if (found !== null) kernels.functions.markDocs(target, found.docs, found.count);
}

/** What a word's variants and rows match; an evaluator tells where there are too many levels. */
function scoreWord(
  kernels: SegmentKernels,
  leaf: WordLeaf,
  context: SegmentContext,
  accepted: number,
): ScoredDocs | null | "impossible" {
  const { levels, rows, matcher } = leaf;
  if (!kernels.words.takes(levels)) return scoreByEvaluator(kernels, matcher, context);
  if (rows === null) return scoreVariants(kernels, leaf, context, accepted);
  const ofRows = scoreLeaf(kernels, rows.leaf, context, accepted);
  if (ofRows === null || ofRows === "impossible") {
    if (ofRows === "impossible") return ofRows;
    return levels.length === 0 ? null : scoreVariants(kernels, leaf, context, accepted);
  }
  const ofWord = levels.length === 0 ? null : scoreVariants(kernels, leaf, context, accepted);
  return ofWord === "impossible" ? ofWord : withRows(kernels, ofWord, ofRows, rows);
}

/** The documents of both, each with the greater score. */
function withRows(
  kernels: SegmentKernels,
  ofWord: ScoredDocs | null,
  ofRows: ScoredDocs,
  { scoreOf }: RowLeaf,
): ScoredDocs | "impossible" {
  const most = (ofWord?.count ?? 0) + ofRows.count;
  const room = kernels.scored.reserve(most);
  if (room === null) return "impossible";
  const target = kernels.scored.views(room, most);
  const word = ofWord === null ? NO_DOCS : kernels.scored.views(ofWord, ofWord.count);
  const row = kernels.scored.views(ofRows, ofRows.count);
  let count = 0;
  let at = 0;
  for (let i = 0; i < row.docs.length; i++) {
    const docId = row.docs[i]!;
    const next = firstAtOrAfter(word.docs, at, docId);
    target.docs.set(word.docs.subarray(at, next), count);
    target.scores.set(word.scores.subarray(at, next), count);
    count += next - at;
    at = next;
    let score = scoreOf(row.scores[i]!);
    if (at < word.docs.length && word.docs[at] === docId) score = Math.max(score, word.scores[at++]!);
    target.docs[count] = docId;
    target.scores[count++] = score;
  }
  target.docs.set(word.docs.subarray(at), count);
  target.scores.set(word.scores.subarray(at), count);
  return sealed(kernels, room, count + word.docs.length - at, 1);
}

const NO_DOCS = { docs: new Uint32Array(0), scores: new Float32Array(0) };

function scoreVariants(
  kernels: SegmentKernels,
  { levels, matcher }: WordLeaf,
  context: SegmentContext,
  accepted: number,
): ScoredDocs | null | "impossible" {
  const { maxDoc } = context.segment;
  let postings = 0;
  for (const { places } of levels) for (const { docFreq } of places) postings += docFreq;
  const room =
    kernels.scored.reserve(Math.min(postings, maxDoc)) ??
    kernels.scored.reserve(countMatches(matcher, context, kernels));
  if (room === null) return "impossible";
  kernels.lists.begin();
  kernels.prepare();
  kernels.functions.accept(accepted);
  const count = kernels.scoreWord(levels, room);
  return count === 0 ? null : sealed(kernels, room, count, 1);
}

/** Documents that a matcher finds, deleted ones included. */
function countMatches(matcher: Matcher, context: SegmentContext, kernels: SegmentKernels): number {
  const { bitsetBytes } = kernels.layout;
  const bits = kernels.bitsets.addressOf(WORKING);
  kernels.functions.clearBits(bits, bitsetBytes);
  matcher.mark(context, kernels, bits);
  return kernels.functions.countBits(bits, bitsetBytes);
}

function scoreNested(
  kernels: SegmentKernels,
  { plan, factor, matcher }: NestedLeaf,
  context: SegmentContext,
): ScoredDocs | null | "impossible" {
  if (plan === null) return scoreByEvaluator(kernels, matcher, context);
  const scored = scoreLeaves(kernels, plan, context);
  if (scored === null) return "impossible";
  const added = addLists(kernels, plan, context, scored);
  if (added !== "ready") return added === "nothing" ? null : added;
  return plan.phrase === null
    ? scoreMatches(kernels, plan, context, factor)
    : scorePhrase(kernels, plan, context, factor);
}

function scoreMatches(
  kernels: SegmentKernels,
  plan: QueryPlan,
  context: SegmentContext,
  factor: number,
): ScoredDocs | null | "impossible" {
  const { count, matches } = new PlanRun(kernels, plan, context, ALL_MATCHES).run();
  if (count === 0) return null;
  const room = kernels.scored.reserve(count);
  if (room === null) return "impossible";
  const { byteOffset: bits, length: words } = matches!;
  kernels.functions.topOfBits(room.scores, room.docs, ALL_HITS, NO_SCORE, bits, words);
  return sealed(kernels, room, count, factor);
}

function scorePhrase(
  kernels: SegmentKernels,
  plan: QueryPlan,
  context: SegmentContext,
  factor: number,
): ScoredDocs | null | "impossible" {
  let countMax = Number.MAX_SAFE_INTEGER;
  for (let list = 0; list < kernels.lists.count; list++) {
    countMax = Math.min(countMax, kernels.lists.docFreqOf(list));
  }
  const room = kernels.scored.reserve(countMax);
  if (room === null) return "impossible";
  const count = new PlanRun(kernels, plan, context, ALL_MATCHES).scorePhrase(room);
  return count === 0 ? null : sealed(kernels, room, count, factor);
}

function scoreByEvaluator(
  kernels: SegmentKernels,
  matcher: Matcher,
  context: SegmentContext,
): ScoredDocs | null | "impossible" {
  const evaluator = matcher.evaluator(context);
  if (evaluator === null) return null;
  const docs: number[] = [];
  const docScores: number[] = [];
  evaluateWindows(evaluator, context.segment, context.pool, true, {
    collect(windowStart, matches, scores) {
      for (let word = 0; word < matches.length; word++) {
        for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
          const offset = (word << 5) + lowestBit(rest);
          docs.push(windowStart + offset);
          docScores.push(scores![offset]!);
        }
      }
    },
  });
  if (docs.length === 0) return null;
  const room = kernels.scored.reserve(docs.length);
  if (room === null) return "impossible";
  const views = kernels.scored.views(room, docs.length);
  views.docs.set(docs);
  views.scores.set(docScores);
  return sealed(kernels, room, docs.length, 1);
}

function sealed(
  kernels: SegmentKernels,
  room: ScoredRoom,
  count: number,
  factor: number,
): ScoredDocs | "impossible" {
  if (factor !== 1) {
    const { scores } = kernels.scored.views(room, count);
    for (let i = 0; i < count; i++) scores[i] = Math.min(scores[i]! * factor, NODE_SCORE_MAX);
  }
  const scored = kernels.scored.seal(room, count);
  return scored.scoreMax < 0 ? "impossible" : scored;
}
