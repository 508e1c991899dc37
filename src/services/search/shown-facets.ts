import type { IndexSchema } from "../../contract/index-schema.js";
import type { Facet, FacetNode, SearchResult } from "../../contract/search.js";
import type { FacetRequest, SearchExtensions } from "../../contract/search-extensions.js";
import type { BackendSearchResult } from "../../ports/search-backend.js";

/** Facet counts as the answer shows them: fields in schema order, each tree as far as it was asked for. */
export function shownFacets(
  facets: BackendSearchResult["facets"],
  { facets: requests }: SearchExtensions,
  schemas: readonly IndexSchema[],
): NonNullable<SearchResult["facets"]> {
  // Nearly always nothing was asked for: all of one index, which come in its order.
  if (facets.length === 0 || (requests === undefined && schemas.length === 1)) return facets;
  const shown: Facet[] = [];
  const byField = new Map(facets.map((facet) => [facet.field, facet]));
  for (const { fields } of schemas) {
    for (const name of Object.keys(fields)) {
      const facet = byField.get(name);
      if (facet === undefined) continue;
      byField.delete(name);
      const options = requests?.get(name);
      const isWhole = options?.depth === undefined && options?.size === undefined;
      shown.push(isWhole ? facet : { field: name, nodes: trimmed(facet.nodes, options) });
    }
  }
  return shown;
}

/** Nodes come with the most frequent first, and keep their counts. */
function trimmed(
  nodes: readonly FacetNode[],
  options: Pick<FacetRequest, "depth" | "size"> | undefined,
): readonly FacetNode[] {
  const { depth, size } = options ?? {};
  if (depth === undefined && size === undefined) return nodes;
  return nodes.slice(0, size).map(({ children, ...node }) => {
    if (children === undefined || depth === 1) return node;
    const deeper = {
      ...(depth === undefined ? {} : { depth: depth - 1 }),
      ...(size === undefined ? {} : { size }),
    };
    return { ...node, children: trimmed(children, deeper) };
  });
}
