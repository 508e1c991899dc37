import { type FieldDefinition, type IndexSchema, isIdentifierField } from "../../contract/index-schema.js";
import { SHAPES_MEMBER } from "../../contract/nested-fields.js";
import type { EngineField, EngineSchema } from "../../engine/server-door.js";

/** A language whose letters I and i are cased as the analysis says, where no stemmer tells which one it was. */
const TURKIC_LANGUAGE = "tr";

/**
 * The wire's schema of an index of which nothing is left but its files: fields and analysis are as they were, settings
 * that only searches go by have their defaults. Neither whether a field was required nor of which kind of JSON an
 * unindexed one is can be told.
 */
export function fromEngineSchema(name: string, { fields, analyzer }: EngineSchema): IndexSchema {
  const { stemming, casing, foldDiacritics } = analyzer;
  const language = stemming ?? (casing === "turkic" ? TURKIC_LANGUAGE : undefined);
  const definitions = fields
    .filter((field) => field.name !== SHAPES_MEMBER)
    .map((field): [string, FieldDefinition] => [field.name, definitionOf(field)]);
  const key = fields.find(({ keyed }) => keyed === true);
  return {
    name,
    fields: Object.fromEntries(definitions),
    search_fields: definitions
      .filter(([field, each]) => each.type === "text" && each.indexed && !isIdentifierField(field, each))
      .map(([field]) => field),
    weight_multipliers: {},
    ...(language === undefined ? {} : { language }),
    enable_language_stemming: stemming !== undefined,
    ...(foldDiacritics === true ? { fold_diacritics: true } : {}),
    ...(key === undefined ? {} : { primary_key: key.name }),
    exclude_stop_words: true,
    auto_commit_delay: 0,
    ai_enabled: false,
  };
}

function definitionOf({ name, kind, stored, indexed, multi, precision }: EngineField): FieldDefinition {
  const common = { required: false, stored, indexed, multi };
  switch (kind) {
    case "text":
      return { type: "text", ...common };
    case "keyword":
      return name === "id" ? { type: "text", ...common } : { type: "text", ...common, whole: true };
    case "label":
      return { type: "facet", ...common, hierarchical: false };
    case "facet":
      return { type: "facet", ...common };
    case "opaque":
      return { type: "json", ...common, indexed: false, fast: false };
    case "bool":
    case "u64":
    case "i64":
    case "f64":
      return { type: kind, ...common, fast: true };
    case "datetime":
      return { type: kind, ...common, fast: true, precision: precision ?? "seconds" };
  }
}
