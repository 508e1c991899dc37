import { decodeUtf8 } from "../../bytes/byte-reader.js";
import { compareBytes } from "../../schema/compare-bytes.js";
import type { OrdinalColumn } from "../../segment/segment-reader.js";
import type { FacetNode } from "../search-types.js";

interface MutableNode {
  /** Sort bytes of the path: in their order paths compare by code points, segment by segment. */
  readonly bytes: Uint8Array;
  readonly path: string;
  count: number;
  readonly children: Map<string, MutableNode>;
}

/** Adds up the facet counts of several segments by path. */
export class FacetTree {
  readonly #roots: Map<string, MutableNode> = new Map();

  /** @param totals documents at or under each path, by ordinal */
  add(column: OrdinalColumn, totals: Int32Array): void {
    const parents = column.facetParents!;
    const paths = pathsOf(column);
    const nodes: (MutableNode | undefined)[] = new Array(totals.length);
    for (let ordinal = 0; ordinal < totals.length; ordinal++) {
      const count = totals[ordinal]!;
      if (count === 0) continue;
      const { bytes, path } = (paths[ordinal] ??= facetPath(column.valueBytes(ordinal)));
      const parent = parents[ordinal]!;
      // A path's ancestors count at least as much, so they have been added before it.
      const siblings = parent < 0 ? this.#roots : nodes[parent]!.children;
      let node = siblings.get(path);
      if (node === undefined) {
        node = { bytes, path, count: 0, children: new Map() };
        siblings.set(path, node);
      }
      node.count += count;
      nodes[ordinal] = node;
    }
  }

  nodes(): FacetNode[] {
    return sortedNodes(this.#roots);
  }
}

/** Recursion is as deep as the longest path. */
function sortedNodes(siblings: ReadonlyMap<string, MutableNode>): FacetNode[] {
  return [...siblings.values()]
    .sort((a, b) => b.count - a.count || compareBytes(a.bytes, b.bytes))
    .map(({ path, count, children }) =>
      children.size === 0 ? { path, count } : { path, count, children: sortedNodes(children) },
    );
}

interface FacetPath {
  readonly bytes: Uint8Array;
  readonly path: string;
}

/** Paths by ordinal, as far as they have been asked for: most searches count the same ones. */
const pathsByColumn = new WeakMap<OrdinalColumn, (FacetPath | undefined)[]>();

function pathsOf(column: OrdinalColumn): (FacetPath | undefined)[] {
  let paths = pathsByColumn.get(column);
  if (paths === undefined) {
    paths = new Array<FacetPath | undefined>(column.valueCount);
    pathsByColumn.set(column, paths);
  }
  return paths;
}

/** The path whose sort bytes these are: slashes are 0 there. */
function facetPath(bytes: Uint8Array): FacetPath {
  return { bytes, path: decodeUtf8(bytes).replaceAll("\0", "/") };
}
