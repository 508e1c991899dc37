import type { FacetNode } from "../../contract/search.js";

/** The tree of a facet field from the counts of all its paths, ancestors included; siblings by count, then path. */
export function facetTree(counts: ReadonlyMap<string, number>, isFlat: boolean): readonly FacetNode[] {
  const children = new Map<string, string[]>();
  for (const path of counts.keys()) {
    const end = isFlat ? 0 : path.lastIndexOf("/");
    const parent = end <= 0 ? "" : path.slice(0, end);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [path]);
    else siblings.push(path);
  }
  const below = (parent: string): FacetNode[] =>
    (children.get(parent) ?? [])
      .map((path): FacetNode => {
        const nodes = isFlat ? [] : below(path);
        const count = counts.get(path)!;
        return nodes.length === 0 ? { path, count } : { path, count, children: nodes };
      })
      .sort((a, b) => b.count - a.count || compareUtf8(a.path, b.path));
  return below("");
}

/** By code points, as the engine orders them. */
function compareUtf8(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
