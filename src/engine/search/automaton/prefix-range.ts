import { meantBy } from "../../../analysis/korean-beginnings.js";

/** Sorted byte strings, such as terms or a column's values. */
export interface SortedBytes {
  /** Ordinal of the first entry at or after the bytes. */
  lowerBound(bytes: Uint8Array): number;
}

export interface OrdinalRange {
  readonly first: number;
  /** After the last one. */
  readonly end: number;
}

const encoder = new TextEncoder();

/** Ordinals of the terms that begin like the prefix, whose last syllable may be half typed, of `count` in all. */
export function beginningRange(terms: SortedBytes, count: number, prefix: string): OrdinalRange {
  const { first, last } = meantBy(prefix.charCodeAt(prefix.length - 1));
  if (Number.isNaN(last) || first === last) return prefixRange(terms, count, encoder.encode(prefix));
  const before = prefix.slice(0, -1);
  const start = before + String.fromCharCode(first);
  const end = before + String.fromCharCode(last + 1);
  return { first: terms.lowerBound(encoder.encode(start)), end: terms.lowerBound(encoder.encode(end)) };
}

/** Ordinals of the entries that start with the prefix, of `count` entries in all. */
export function prefixRange(entries: SortedBytes, count: number, prefix: Uint8Array): OrdinalRange {
  const successor = prefixSuccessor(prefix);
  return {
    first: entries.lowerBound(prefix),
    end: successor === null ? count : entries.lowerBound(successor),
  };
}

/** The least byte string after all that start with the prefix; null if there is none. */
function prefixSuccessor(prefix: Uint8Array): Uint8Array | null {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return null;
  const successor = prefix.slice(0, length);
  successor[length - 1]!++;
  return successor;
}
