import { FACET_SEPARATOR } from "../../schema/facet-bounds.js";
import type { ColumnDictionary } from "./column-dictionary.js";

/**
 * Parents and subtree ends of facet paths, whose ascending order is the preorder of their tree.
 * Every ancestor is in the dictionary.
 */
export function facetTree({ bytes, offsets }: ColumnDictionary): {
  readonly parents: Int32Array;
  readonly subtreeEnds: Uint32Array;
} {
  const count = offsets.length - 1;
  const parents = new Int32Array(count);
  const subtreeEnds = new Uint32Array(count);
  // The chain from a root to the previous path, as links to parents: `open` is its end.
  let open = -1;
  for (let ordinal = 0; ordinal < count; ordinal++) {
    while (open >= 0 && !isUnder(bytes, offsets, ordinal, open)) {
      subtreeEnds[open] = ordinal;
      open = parents[open]!;
    }
    parents[ordinal] = open;
    open = ordinal;
  }
  for (; open >= 0; open = parents[open]!) subtreeEnds[open] = count;
  return { parents, subtreeEnds };
}

/**
 * Ends of those of a path's proper ancestors that another path neither is nor is under, shortest first. Every ancestor
 * ends at a separator, but for the leading one.
 */
export function newAncestorEnds(path: Uint8Array, other: Uint8Array): number[] {
  const limit = Math.min(path.length, other.length);
  let shared = 0;
  while (shared < limit && path[shared] === other[shared]) shared++;
  const ends: number[] = [];
  for (let end = Math.max(1, shared); end < path.length; end++) {
    if (path[end] === FACET_SEPARATOR && (end > shared || end !== other.length)) ends.push(end);
  }
  return ends;
}

function isUnder(bytes: Uint8Array, offsets: Uint32Array, descendant: number, ancestor: number): boolean {
  const descendantStart = offsets[descendant]!;
  const ancestorStart = offsets[ancestor]!;
  const length = offsets[ancestor + 1]! - ancestorStart;
  if (offsets[descendant + 1]! - descendantStart <= length) return false;
  if (bytes[descendantStart + length] !== FACET_SEPARATOR) return false;
  for (let i = 0; i < length; i++) {
    if (bytes[descendantStart + i] !== bytes[ancestorStart + i]) return false;
  }
  return true;
}
