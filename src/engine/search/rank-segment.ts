import { countBits } from "../bytes/bitset.js";
import { ScratchExhaustedError } from "../kernels/image-memory.js";
import type { DocId } from "../schema/document.js";
import type { TopDocuments } from "./collectors/top-documents.js";
import { evaluateWindows, type WindowCollector } from "./evaluators/evaluate-windows.js";
import { type KernelRanking, rankInKernels } from "./ranking/rank-in-kernels.js";
import type { RankingRequest } from "./ranking/ranking-request.js";
import type { TimeDecay } from "./search-types.js";
import type { SegmentStatistics } from "./statistics/segment-statistics.js";
import { SegmentDecay } from "./time-decay.js";
import type { SegmentContext, Weight } from "./weights/weight.js";

/** A segment's part of a search by kernels; null where the evaluators have to do it. */
export function rankSegment(
  weight: Weight,
  context: SegmentContext,
  request: RankingRequest,
): KernelRanking | null {
  try {
    const ranking = weight.ranked?.(context, request) ?? null;
    if (ranking !== null) return ranking;
    const plan = weight.ranking?.(context) ?? null;
    return plan === null ? null : rankInKernels(plan, context, request);
  } catch (error) {
    if (error instanceof ScratchExhaustedError) return null;
    throw error;
  }
}

/** Its evaluation, window by window. */
export function evaluateSegment(
  weight: Weight,
  context: SegmentContext,
  decay: TimeDecay | undefined,
  withScores: boolean,
  collect: WindowCollector["collect"],
): void {
  const evaluator = weight.evaluator(context);
  if (evaluator === null) return;
  const segmentDecay = decay === undefined ? null : new SegmentDecay(context.statistics, decay);
  evaluateWindows(evaluator, context.segment, context.pool, withScores, {
    collect(windowStart, matches, scores) {
      if (scores !== null) segmentDecay?.apply(windowStart, matches, scores);
      collect(windowStart, matches, scores);
    },
  });
}

/** Takes a segment's best documents without kernels; returns how many match. */
export function collectRelevant(
  weight: Weight,
  context: SegmentContext,
  decay: TimeDecay | undefined,
  segmentIndex: number,
  top: TopDocuments,
): number {
  let count = 0;
  evaluateSegment(weight, context, decay, true, (windowStart, matches, scores) => {
    count += countBits(matches);
    top.collect(segmentIndex, windowStart, matches, scores!);
  });
  return count;
}

/** What a document's score is multiplied with. */
export function decayOf(
  statistics: SegmentStatistics,
  decay: TimeDecay | undefined,
): ((docId: DocId) => number) | null {
  if (decay === undefined) return null;
  const segmentDecay = new SegmentDecay(statistics, decay);
  return (docId) => Math.fround(segmentDecay.factorOf(docId));
}
