import { FacetPaths } from "./facet-paths.js";
import { FacetTree } from "./facet-tree.js";

/** The trees in which an index's facets are counted; share one between its searchers. */
export class FacetTrees {
  readonly #byField: Map<string, { readonly paths: FacetPaths; readonly tree: FacetTree }> = new Map();

  /** A field's tree, empty: to be read before it is begun again. */
  begin(field: string): FacetTree {
    let known = this.#byField.get(field);
    if (known === undefined || known.paths.isFull) {
      const paths = new FacetPaths();
      known = { paths, tree: new FacetTree(paths) };
      this.#byField.set(field, known);
    }
    known.tree.begin();
    return known.tree;
  }
}
