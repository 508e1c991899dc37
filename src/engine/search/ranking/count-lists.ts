import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import { MATCHES } from "./bitset-uses.js";

/** Documents are counted by bits if each list is in this part of them, else by walking the rarest list. */
const COUNTED_BY_BITS_SHARE = 1 / 32;

/** Whether bits tell the documents of every list of a search, and counting them takes less than walking the rarest. */
export function areAllDense({ lists, layout }: SegmentKernels): boolean {
  const docFreqMin = layout.bitsetBytes * 8 * COUNTED_BY_BITS_SHARE;
  for (let index = 0; index < lists.count; index++) {
    if (lists.denseBitsOf(index) === 0 || lists.docFreqOf(index) < docFreqMin) return false;
  }
  return true;
}

/**
 * Documents that all lists hold, where bits tell them. Uses `MATCHES`.
 *
 * @param withBits whether they are wanted there
 * @param accepted address of the bits that count; 0: all do
 */
export function countAllDense(kernels: SegmentKernels, withBits: boolean, accepted: number): number {
  const { functions, lists } = kernels;
  const { bitsetBytes } = kernels.layout;
  const first = lists.denseBitsOf(0);
  if (lists.count === 2 && accepted === 0 && !withBits) {
    return functions.countCommon(first, lists.denseBitsOf(1), bitsetBytes);
  }
  const target = kernels.bitsets.addressOf(MATCHES);
  functions.copyBits(target, first, bitsetBytes);
  for (let index = 1; index < lists.count; index++) {
    functions.andBits(target, lists.denseBitsOf(index), bitsetBytes);
  }
  if (accepted !== 0) functions.andBits(target, accepted, bitsetBytes);
  return functions.countBits(target, bitsetBytes);
}

/** Documents that any of several lists holds. Uses `MATCHES`. */
export function countAny(kernels: SegmentKernels, accepted: number): number {
  const { functions, lists } = kernels;
  const { bitsetBytes } = kernels.layout;
  const target = kernels.bitsets.addressOf(MATCHES);
  let count = 0;
  let dense = 0;
  for (let index = 0; index < lists.count; index++) {
    const bits = lists.denseBitsOf(index);
    if (bits === 0) continue;
    if (dense++ === 0) {
      functions.copyBits(target, bits, bitsetBytes);
      count = lists.docFreqOf(index);
    } else {
      functions.orBits(target, bits, bitsetBytes);
    }
  }
  if (dense === 0) functions.clearBits(target, bitsetBytes);
  if (dense > 1) count = functions.countBits(target, bitsetBytes);
  for (let index = 0; index < lists.count; index++) {
    if (lists.denseBitsOf(index) === 0) count += functions.orListCounting(target, index);
  }
  return accepted === 0 ? count : functions.countCommon(target, accepted, bitsetBytes);
}
