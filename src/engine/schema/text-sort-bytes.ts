import { utf8Bytes } from "./utf8-bytes.js";

/**
 * Bytes whose unsigned lexicographic order is that of text values: case-folded (the same in every
 * locale) by code points. UTF-8 keeps the order of code points, which UTF-16 does not. Unpaired
 * surrogates count as U+FFFD.
 *
 * @param isComposed whether texts that look the same are the same: NFC comes first
 */
export function textSortBytes(text: string, isComposed: boolean): Uint8Array {
  return utf8Bytes(folded(text, isComposed));
}

function folded(text: string, isComposed: boolean): string {
  return (isComposed ? text.normalize("NFC") : text).toLowerCase();
}

/**
 * Writes the first bytes of `textSortBytes` at `start`, `limit` of them if there are as many, without
 * encoding the rest.
 *
 * @returns how many bytes were written
 */
export function writeTextSortPrefix(
  text: string,
  isComposed: boolean,
  target: Uint8Array,
  start: number,
  limit: number,
): number {
  // A mark behind the last letter may become one with it.
  if (text.charCodeAt(limit) >= 0x80) return writePrefix(folded(text, isComposed), target, start, limit);
  const units = Math.min(text.length, limit);
  for (let i = 0; i < units; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) return writePrefix(folded(text, isComposed), target, start, limit);
    target[start + i] = unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit;
  }
  return units;
}

/** Folding looks at neighbouring letters (Greek sigma), so the whole value is folded before it is cut. */
function writePrefix(foldedText: string, target: Uint8Array, start: number, limit: number): number {
  // Any n units take n bytes or more; one unit more keeps a pair whole that would straddle the cut.
  const bytes = utf8Bytes(foldedText.slice(0, limit + 1));
  const length = Math.min(bytes.length, limit);
  target.set(bytes.subarray(0, length), start);
  return length;
}
