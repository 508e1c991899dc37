import type { IndexSchema } from "../../contract/index-schema.js";
import type { CatalogIndex } from "../../ports/catalog.js";

/** The settings that callers have been told are the index's, even where their analysis is still being prepared. */
export function acceptedSchema(index: CatalogIndex): IndexSchema {
  return index.next_schema ?? index.schema;
}
