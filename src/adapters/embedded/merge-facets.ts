import { compareCodePoints } from "../../contract/code-points.js";
import type { FacetNode } from "../../contract/search.js";
import type { BackendSearchResult } from "../../ports/search-backend.js";

type Facets = BackendSearchResult["facets"];

/**
 * Adds up the facet counts of several indexes by field and path: fields in the order in which they
 * first come, nodes as one index orders them, by count descending, then path.
 */
export function mergeFacets(results: readonly Facets[]): Facets {
  const treesByField = new Map<string, (readonly FacetNode[])[]>();
  for (const { field, nodes } of results.flat()) {
    const trees = treesByField.get(field);
    if (trees === undefined) treesByField.set(field, [nodes]);
    else trees.push(nodes);
  }
  return [...treesByField].map(([field, trees]) => ({ field, nodes: mergedNodes(trees) }));
}

/** Recursion is as deep as the longest path. */
function mergedNodes(trees: readonly (readonly FacetNode[])[]): readonly FacetNode[] {
  const [only] = trees;
  if (only !== undefined && trees.length === 1) return only;
  const byPath = new Map<string, { count: number; readonly children: (readonly FacetNode[])[] }>();
  for (const { path, count, children } of trees.flat()) {
    let merged = byPath.get(path);
    if (merged === undefined) byPath.set(path, (merged = { count: 0, children: [] }));
    merged.count += count;
    if (children !== undefined) merged.children.push(children);
  }
  return [...byPath]
    .map(([path, { count, children }]) =>
      children.length === 0 ? { path, count } : { path, count, children: mergedNodes(children) },
    )
    .sort((a, b) => b.count - a.count || compareCodePoints(a.path, b.path));
}
