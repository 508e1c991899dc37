import type { NumberRange } from "../../kernels/listed-docs.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocBits } from "../../segment/segment-reader.js";
import type { Matcher, SegmentContext } from "../plan/matcher.js";

/** What the bitsets of a segment's kernels are for, by number: documents that filters, exclusions and deletes leave, … */
export const ACCEPTED = 0;
/** … all matches, … */
export const MATCHES = 1;
/** … what is of no use after the call that fills it, … */
export const WORKING = 2;
/** … and documents that hold all words of a query without a slip, all that hold any, and one's (`first-tier.ts`). */
export const TIER = 3;
export const COUNTED = 4;
export const OF_WORD = 5;

/** What marking and looking up take for each document, relative to each other. */
const SCAN_COST = 0.4;
const MARK_COST = 1.5;
const LOOK_UP_COST = 2.5;
/** Where matches needn't be counted most documents of a list are never looked up. */
const LOOK_UP_COST_UNCOUNTED = 1.25;
/** One in so many documents: where more are in a range, the column is scanned (`column-weight.ts`). */
const SCAN_SHARE = 16;

export interface Acceptance {
  readonly filters: readonly Matcher[];
  readonly exclusions: readonly Matcher[];
}

/**
 * Address of the bits of live documents that pass all filters and no exclusion, not to be written to; 0 if
 * all do. Uses `ACCEPTED` and `WORKING`.
 */
export function acceptedBits(
  acceptance: Acceptance,
  context: SegmentContext,
  kernels: SegmentKernels,
): number {
  const { liveDocs } = context.segment;
  if (acceptance.filters.length === 0 && acceptance.exclusions.length === 0) {
    return liveDocs === null ? 0 : kernels.bitsets.ofLive(liveDocs);
  }
  const address = kernels.bitsets.addressOf(ACCEPTED);
  markAccepted(acceptance, context, kernels, address);
  return address;
}

/** Overwrites a bitset with the live documents that pass all filters and no exclusion. Uses `WORKING`. */
export function markAccepted(
  { filters, exclusions }: Acceptance,
  context: SegmentContext,
  kernels: SegmentKernels,
  target: number,
): void {
  const { segment } = context;
  const { functions } = kernels;
  const { bitsetBytes } = kernels.layout;
  const working = kernels.bitsets.addressOf(WORKING);
  let isFilled = false;
  for (const filter of filters) {
    markMatches(filter, context, kernels, isFilled ? working : target);
    if (isFilled) functions.andBits(target, working, bitsetBytes);
    isFilled = true;
  }
  if (segment.liveDocs !== null) {
    const live = kernels.bitsets.ofLive(segment.liveDocs);
    if (isFilled) functions.andBits(target, live, bitsetBytes);
    else functions.copyBits(target, live, bitsetBytes);
  } else if (!isFilled) {
    fillBits(kernels.bitsets.at(target), segment.maxDoc);
  }
  for (const exclusion of exclusions) {
    markMatches(exclusion, context, kernels, working);
    functions.andNotBits(target, working, bitsetBytes);
  }
}

/** Overwrites a bitset with a query node's matches, deleted documents included. */
function markMatches(
  matcher: Matcher,
  context: SegmentContext,
  kernels: SegmentKernels,
  target: number,
): void {
  context.pool.interrupt.check();
  kernels.functions.clearBits(target, kernels.layout.bitsetBytes);
  matcher.mark(context, kernels, target);
}

function fillBits(bits: DocBits, size: number): void {
  const words = size >>> 5;
  bits.fill(0xffff_ffff, 0, words);
  bits.fill(0, words);
  if ((size & 31) !== 0) bits[words] = 2 ** (size & 31) - 1;
}

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
    const numbers = filter.numbers(context);
    if (numbers === null) continue;
    const { docCount } = numbers;
    const marking = docCount > maxDoc / SCAN_SHARE ? maxDoc * SCAN_COST : docCount * MARK_COST;
    if (cost < marking) return { filter, numbers };
  }
  return null;
}
