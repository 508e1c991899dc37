import type { NumberRange } from "../../kernels/listed-docs.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { Matcher, SegmentContext } from "../weights/matcher.js";

/** What marking and looking up take for each document, relative to each other. */
const SCAN_COST = 0.4;
const MARK_COST = 1.5;
const LOOK_UP_COST = 2.5;
/** Where matches needn't be counted most documents of a list are never looked up. */
const LOOK_UP_COST_UNCOUNTED = 1.25;
/** One in so many documents: where more are in a range, the column is scanned (`value-filters.ts`). */
const SCAN_SHARE = 16;

/** A filter that is asked of single documents instead of marking all that pass it. */
export interface LookedUpFilter {
  readonly filter: Matcher;
  readonly numbers: NumberRange;
}

/**
 * The filter to be looked up, if that is quicker for one: few documents hold the rarest of the lists, each of
 * which a document must hold; null if none is.
 */
export function lookedUpFilter(
  filters: readonly Matcher[],
  context: SegmentContext,
  { lists }: SegmentKernels,
  withCount: boolean,
): LookedUpFilter | null {
  const { maxDoc } = context.segment;
  let candidates = maxDoc;
  for (let index = 0; index < lists.count; index++) {
    if (lists.isBits(index)) return null;
    candidates = Math.min(candidates, lists.docFreqOf(index));
  }
  const cost = candidates * (withCount ? LOOK_UP_COST : LOOK_UP_COST_UNCOUNTED);
  for (const filter of filters) {
    const numbers = filter.numbers?.(context) ?? null;
    if (numbers === null) continue;
    const { docCount } = numbers;
    const marking = docCount > maxDoc / SCAN_SHARE ? maxDoc * SCAN_COST : docCount * MARK_COST;
    if (cost < marking) return { filter, numbers };
  }
  return null;
}
