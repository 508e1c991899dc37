import { andInto } from "../../bytes/bitset.js";
import { WINDOW_WORDS, type WindowBits } from "./evaluator.js";

/** Index of the lowest set bit of a word that is not 0. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

export function isEmpty(bits: WindowBits): boolean {
  for (let word = 0; word < bits.length; word++) {
    if (bits[word] !== 0) return false;
  }
  return true;
}

/**
 * Copies a window out of a bitset over doc ids, cut to the candidates; words past the end are 0.
 * `windowStart` is a multiple of the window size.
 */
export function copyWindow(
  docBits: Uint32Array,
  windowStart: number,
  candidates: WindowBits | null,
  target: WindowBits,
): void {
  const first = windowStart >>> 5;
  const available = Math.min(WINDOW_WORDS, docBits.length - first);
  for (let word = 0; word < available; word++) target[word] = docBits[first + word]!;
  if (available < WINDOW_WORDS) target.fill(0, Math.max(available, 0));
  if (candidates !== null) andInto(target, candidates);
}
