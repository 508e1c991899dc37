import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocBits } from "../../segment/segment-reader.js";
import { evaluateWindows } from "../evaluators/evaluate-windows.js";
import type { Matcher, SegmentContext } from "../weights/matcher.js";
import { ACCEPTED, WORKING } from "./bitset-uses.js";

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
  const mark = matcher.mark;
  if (mark !== undefined) {
    mark.call(matcher, context, kernels, target);
    return;
  }
  const evaluator = matcher.evaluator(context);
  if (evaluator === null) return;
  const bits = kernels.bitsets.at(target);
  const all = { maxDoc: context.segment.maxDoc, liveDocs: null };
  evaluateWindows(evaluator, all, context.pool, false, {
    collect(windowStart, matches) {
      const word = windowStart >>> 5;
      const words = Math.min(matches.length, bits.length - word);
      bits.set(words === matches.length ? matches : matches.subarray(0, words), word);
    },
  });
}

function fillBits(bits: DocBits, size: number): void {
  const words = size >>> 5;
  bits.fill(0xffff_ffff, 0, words);
  bits.fill(0, words);
  if ((size & 31) !== 0) bits[words] = 2 ** (size & 31) - 1;
}
