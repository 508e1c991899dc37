import { ScratchExhaustedError } from "../../kernels/image-memory.js";
import type { JoinedMarks } from "../../kernels/joined-memory.js";
import type { DocBits } from "../../segment/segment-reader.js";
import { WalksInVain } from "../collectors/walks-in-vain.js";
import { collectDocs } from "../evaluators/collect-docs.js";
import { WindowPool } from "../evaluators/window-pool.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import type { SegmentContext } from "../weights/matcher.js";
import { rankInKernels } from "./rank-in-kernels.js";
import type { PlannedMatcher } from "./ranking-plan.js";
import { RankingRequest } from "./ranking-request.js";

const ALL_MATCHES = new RankingRequest(0, true, true);

/** How often a filter was asked for, its documents of all segments once they are joined, and how far behind they are. */
export class Marked {
  uses = 0;
  marks: JoinedMarks | null = null;
  readonly walksInVain: WalksInVain = new WalksInVain();
}

/** A filter, whose live documents of all segments can be joined as bits. */
export interface Markable extends PlannedMatcher {
  readonly marked: Marked;
}

/**
 * Adds a segment's live documents to bits.
 *
 * @param start the bit of its first document, a multiple of 32
 * @throws FindlingError `search_timeout`
 */
export function markSegment(
  bits: DocBits,
  start: number,
  filter: Markable,
  statistics: SegmentStatistics,
  interrupt: SearchInterrupt,
): void {
  const { segment } = statistics;
  const context = { segment, statistics, pool: new WindowPool(interrupt) };
  const matches = matchesInKernels(filter, context) ?? matchesOf(filter, context);
  if (matches !== null) bits.set(matches.subarray(0, (segment.maxDoc + 31) >>> 5), start >>> 5);
}

/** Valid until the segment's kernels are used again; null where they can't tell, or there are none. */
function matchesInKernels(filter: Markable, context: SegmentContext): DocBits | null {
  const plan = filter.ranking(context);
  if (plan === null) return null;
  try {
    return rankInKernels(plan, context, ALL_MATCHES)?.matches ?? null;
  } catch (error) {
    if (error instanceof ScratchExhaustedError) return null;
    throw error;
  }
}

function matchesOf(filter: Markable, context: SegmentContext): DocBits | null {
  const evaluator = filter.evaluator(context);
  return evaluator === null ? null : collectDocs(evaluator, context.segment, context.pool);
}
