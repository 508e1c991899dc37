import type { Federation } from "../../contract/federation.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog } from "../../ports/catalog.js";

/** @throws FindlingError `federation_not_found` */
export function requireFederation(catalog: Catalog, name: string): Federation {
  const federation = catalog.federation(name);
  if (federation === undefined) {
    throw new FindlingError("federation_not_found", `federation '${name}' does not exist`);
  }
  return federation;
}
