import { utf8Bytes } from "./utf8-bytes.js";

/**
 * Bytes whose unsigned lexicographic order is that of text values: case-folded (the same in every
 * locale) by code points. UTF-8 keeps the order of code points, which UTF-16 does not. Unpaired
 * surrogates count as U+FFFD.
 */
export function textSortBytes(text: string): Uint8Array {
  return utf8Bytes(text.toLowerCase());
}

/**
 * The first bytes of `textSortBytes(text)`, as many as `target` holds and there are, without encoding
 * the rest.
 *
 * @returns how many bytes were written
 */
export function writeTextSortPrefix(text: string, target: Uint8Array): number {
  const units = Math.min(text.length, target.length);
  for (let i = 0; i < units; i++) {
    const unit = text.charCodeAt(i);
    // Folding looks at neighbouring letters (Greek sigma), so the whole value is folded before it is cut.
    if (unit >= 0x80) return writePrefix(utf8Bytes(text.toLowerCase().slice(0, target.length + 1)), target);
    target[i] = unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit;
  }
  return units;
}

/** Any n units take n bytes or more; one unit more keeps a pair whole that would straddle the cut. */
function writePrefix(bytes: Uint8Array, target: Uint8Array): number {
  const length = Math.min(bytes.length, target.length);
  target.set(bytes.subarray(0, length));
  return length;
}
