import { FindlingError } from "../../errors/index.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";

/** By its own name or an alias's. @throws FindlingError `index_not_found` */
export function requireIndex(catalog: Catalog, name: string): CatalogIndex {
  const index = catalog.index(indexNameOf(catalog, name));
  if (index === undefined) throw new FindlingError("index_not_found", `index '${name}' does not exist`);
  return index;
}

/** The index's own name, of an alias's: what locks and schedules go by. */
export function indexNameOf(catalog: Pick<Catalog, "alias">, name: string): string {
  return catalog.alias(name) ?? name;
}

/** @throws FindlingError `invalid_index` for the name of an alias, which stands for no index to be made or deleted */
export function refuseAlias(catalog: Pick<Catalog, "alias">, name: string): void {
  const index = catalog.alias(name);
  if (index === undefined) return;
  throw new FindlingError(
    "invalid_index",
    `'${name}' is an alias of index '${index}'; name the index itself`,
  );
}
