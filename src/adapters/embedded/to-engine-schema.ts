import {
  type FieldDefinition,
  type IndexSchema,
  isFlatFacet,
  isIdentifierField,
} from "../../contract/index-schema.js";
import { hasPaths, SHAPES_MEMBER } from "../../contract/nested-fields.js";
import type { EngineField, EngineSchema, FieldKind } from "../../engine/server-door.js";
import { comparesInNfc, indexAnalysis, isKeptAsKey } from "../../query/index-analysis.js";

/** The wire's schema in the engine's terms. */
export function toEngineSchema(schema: IndexSchema): EngineSchema {
  const isComposed = comparesInNfc(schema);
  const fields = Object.entries(schema.fields).map(
    ([name, definition]): EngineField => ({
      ...toEngineField(name, definition),
      ...(isKeptAsKey(schema, name) ? { keyed: true } : {}),
      ...(isComposed && (definition.type === "text" || definition.type === "facet")
        ? { composed: true }
        : {}),
    }),
  );
  return {
    fields: hasPaths(schema.fields) ? [...fields, SHAPES] : fields,
    analyzer: indexAnalysis(schema),
  };
}

/** Where documents have what tells which values stood in which objects of a list. */
const SHAPES: EngineField = {
  name: SHAPES_MEMBER,
  kind: "opaque",
  indexed: false,
  stored: true,
  multi: false,
};

function toEngineField(name: string, definition: FieldDefinition): EngineField {
  const kind = fieldKind(name, definition);
  return {
    name,
    kind,
    // Identifiers and facets can always be asked for (contract 4.2).
    indexed: definition.indexed || kind === "keyword" || kind === "facet" || kind === "label",
    stored: definition.stored,
    multi: definition.multi,
    ...(definition.type === "datetime" ? { precision: definition.precision ?? "seconds" } : {}),
  };
}

function fieldKind(name: string, definition: FieldDefinition): FieldKind {
  if (isIdentifierField(name, definition)) return "keyword";
  if (isFlatFacet(definition)) return "label";
  switch (definition.type) {
    case "bytes":
    case "json":
      return "opaque";
    case "text":
    case "facet":
    case "bool":
    case "f64":
    case "u64":
    case "i64":
    case "datetime":
      return definition.type;
  }
}
