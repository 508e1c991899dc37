import { fieldDefinition } from "../../contract/index-schema.js";
import type { CatalogIndex } from "../../ports/catalog.js";

/** Names of fields that an index has been promised and doesn't have yet. */
export function awaitedFields({ schema, next_schema: next }: CatalogIndex): readonly string[] {
  if (next === undefined || next.fields === schema.fields) return [];
  return Object.keys(next.fields).filter((name) => fieldDefinition(schema, name) === undefined);
}
