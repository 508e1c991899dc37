import type { IndexSchema } from "../../contract/index-schema.js";
import type { SearchExtensions } from "../../contract/search-extensions.js";
import { FindlingError } from "../../errors/index.js";
import { isHighlightable } from "../../query/hit-parts.js";
import { unknownField } from "../../query/queried-field.js";

/**
 * Refuses names that the index doesn't have, and members, which only a federation has. Not asked in a federation, where each index shows what it has.
 *
 * @throws FindlingError `unknown_field`, `invalid_request`
 */
export function requireExtensionFields(extensions: SearchExtensions, schema: IndexSchema): void {
  const { highlight, fields, facets, weights, members } = extensions;
  if (members !== undefined)
    throw new FindlingError(
      "invalid_request",
      "'index_configurations' is of a federation's search; leave it out, or search a federation",
    );
  for (const name of fields ?? []) requireField(schema, name, "fields");
  for (const name of weights?.keys() ?? []) requireField(schema, name, "weight_multipliers");
  for (const name of highlight?.fields ?? []) {
    requireField(schema, name, "highlight.fields");
    if (isHighlightable(schema, name)) continue;
    throw new FindlingError("invalid_request", `'highlight.fields': '${name}' is not a stored text field`);
  }
  for (const name of facets?.keys() ?? []) {
    requireField(schema, name, "facets");
    if (schema.fields[name]!.type === "facet") continue;
    throw new FindlingError("invalid_request", `'facets': '${name}' is not a facet field`);
  }
}

function requireField(schema: IndexSchema, name: string, place: string): void {
  if (Object.hasOwn(schema.fields, name)) return;
  throw new FindlingError("unknown_field", `'${place}': ${unknownField(schema, name)}`);
}
