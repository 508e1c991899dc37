import {
  type FieldDefinition,
  type IndexSchema,
  isFlatFacet,
  isIdentifierField,
} from "../contract/index-schema.js";
import { nearestNameAdvice } from "../contract/nearest-name.js";
import { FindlingError } from "../errors/index.js";
import type { ValueSyntax } from "./parser.js";

/** A field that queries may name. `identifier` is the text field `id`: one whole value; `label` is a flat facet. */
export interface QueriedField {
  readonly name: string;
  readonly kind: "text" | "identifier" | "label" | "facet" | "bool" | "u64" | "i64" | "f64" | "datetime";
  readonly definition: FieldDefinition;
}

/** Whether a field is searched by its words where it is a search field. */
export function hasWords({ kind }: QueriedField): boolean {
  return kind === "text" || kind === "label";
}

/** @throws FindlingError `unknown_field`, `field_not_indexed` */
export function queriedField(schema: IndexSchema, name: string): QueriedField {
  const definition = fieldDefinition(schema, name);
  if (isIdentifierField(name, definition)) return { name, kind: "identifier", definition };
  if (isFlatFacet(definition)) return { name, kind: "label", definition };
  const kind = definition.type;
  if (kind === "bytes" || kind === "json") {
    throw new FindlingError(
      "field_not_indexed",
      `field '${name}' of type ${kind} is only stored and cannot be queried`,
    );
  }
  if (!definition.indexed && kind !== "facet") {
    throw new FindlingError("field_not_indexed", `field '${name}' is not indexed; set 'indexed' to query it`);
  }
  return { name, kind, definition };
}

/** @throws FindlingError `unknown_field` */
export function fieldDefinition(schema: IndexSchema, name: string): FieldDefinition {
  const definition = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  if (definition === undefined) {
    throw new FindlingError("unknown_field", unknownField(schema, name));
  }
  return definition;
}

/** A message for a field that an index hasn't got. */
export function unknownField({ name: index, fields }: IndexSchema, name: string): string {
  return `index '${index}' has no field '${name}'${nearestNameAdvice(name, Object.keys(fields))}`;
}

/** How the query language writes bare values of a field; a field that the index lacks is an error later on. */
export function valueSyntaxOf(schema: IndexSchema, name: string): ValueSyntax {
  const definition = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  switch (definition?.type) {
    case "u64":
    case "i64":
    case "f64":
      return "signed_word";
    case "datetime":
      return "datetime_word";
    case "facet":
    case "bool":
      return "word";
    case "text":
      return isIdentifierField(name, definition) ? "word" : "words";
    case "bytes":
    case "json":
    case undefined:
      return "words";
  }
}

/** Whether a comma inside a set's item separates items: values of facets and identifiers may hold one. */
export function commaSeparates(schema: IndexSchema, name: string): boolean {
  const definition = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  return definition !== undefined && definition.type !== "facet" && !isIdentifierField(name, definition);
}
