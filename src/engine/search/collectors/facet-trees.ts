import type { EngineField } from "../../schema/engine-schema.js";
import { labelOfSortText, pathOfSortText } from "../../schema/sort-bytes.js";
import { FacetPaths } from "./facet-paths.js";
import { FacetTree } from "./facet-tree.js";

/** The trees in which an index's facets are counted; share one between its searchers. */
export class FacetTrees {
  readonly #byField: Map<string, { readonly paths: FacetPaths; readonly tree: FacetTree }> = new Map();

  /** A field's tree, empty: to be read before it is begun again. */
  begin({ name, kind }: Pick<EngineField, "name" | "kind">): FacetTree {
    let known = this.#byField.get(name);
    if (known === undefined || known.paths.isFull) {
      const paths = new FacetPaths(kind === "label" ? labelOfSortText : pathOfSortText);
      known = { paths, tree: new FacetTree(paths) };
      this.#byField.set(name, known);
    }
    known.tree.begin();
    return known.tree;
  }
}
