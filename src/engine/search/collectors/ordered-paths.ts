import { compareBytes } from "../../schema/compare-bytes.js";
import type { FacetPaths } from "./facet-paths.js";

/** Stands for what is above the roots. */
const NO_PARENT = -1;

/**
 * Counted paths in preorder, siblings by count descending, then by path, without kernels: three numbers for each path,
 * its number, its count, and how many paths are above it.
 *
 * @param counted numbers of the paths, those above each among them
 * @param counts by path's number
 */
export function orderedPaths(paths: FacetPaths, counted: Int32Array, counts: Int32Array): number[] {
  const children = new Map<number, number[]>();
  for (let i = 0; i < counted.length; i++) {
    const parent = paths.parentOf(counted[i]!);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [counted[i]!]);
    else siblings.push(counted[i]!);
  }
  const entries: number[] = [];
  const compare = (a: number, b: number): number =>
    counts[b]! - counts[a]! || compareBytes(paths.bytesOf(a), paths.bytesOf(b));
  // Recursion is as deep as the longest path.
  const list = (parent: number, depth: number): void => {
    const siblings = children.get(parent);
    if (siblings === undefined) return;
    siblings.sort(compare);
    for (const number of siblings) {
      entries.push(number, counts[number]!, depth);
      list(number, depth + 1);
    }
  };
  list(NO_PARENT, 0);
  return entries;
}
