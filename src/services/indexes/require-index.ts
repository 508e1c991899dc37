import { FindlingError } from "../../errors/index.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";

/** @throws FindlingError `index_not_found` */
export function requireIndex(catalog: Catalog, name: string): CatalogIndex {
  const index = catalog.index(name);
  if (index === undefined) throw new FindlingError("index_not_found", `index '${name}' does not exist`);
  return index;
}
