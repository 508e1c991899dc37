import type { IndexExtensionsDraft, IndexSettingsDraft } from "../../contract/index-bodies.js";
import {
  type FieldDefinition,
  type FieldType,
  fieldDefinition,
  type IndexSchema,
  isFlatFacet,
  isIdentifierField,
} from "../../contract/index-schema.js";
import { keptJsonProblem } from "../../contract/kept-json.js";
import { nearestNameAdvice } from "../../contract/nearest-name.js";
import { STEMMING_LANGUAGES } from "../../contract/stemming-languages.js";
import { invalidSchema } from "./invalid-schema.js";

/** The members of an index that only POST and PUT give, and those that have rules of their own. */
export type IndexCore = Pick<IndexSchema, "name" | "fields" | "ai_enabled" | "ai" | "analysis_version">;

/**
 * A whole schema: the settings of contract 4.1 with their defaults.
 *
 * @throws FindlingError `invalid_schema`
 */
export function completeSchema(
  core: IndexCore,
  draft: Omit<IndexSettingsDraft, "ai" | "ai_enabled"> & IndexExtensionsDraft,
): IndexSchema {
  const { language, time_decay_field, ingestion, symbols = "", suggest_field, primary_key } = draft;
  const schema: IndexSchema = {
    ...core,
    search_fields: [...new Set(draft.search_fields ?? defaultSearchFields(core.fields))],
    weight_multipliers: draft.weight_multipliers ?? {},
    ...(language === undefined ? {} : { language }),
    enable_language_stemming: draft.enable_language_stemming ?? false,
    ...(draft.fold_diacritics === true ? { fold_diacritics: true } : {}),
    ...(symbols === "" ? {} : { symbols }),
    ...(suggest_field === undefined ? {} : { suggest_field }),
    ...(primary_key === undefined ? {} : { primary_key }),
    exclude_stop_words: draft.exclude_stop_words ?? true,
    auto_commit_delay: draft.auto_commit_delay ?? 0,
    ...(time_decay_field === undefined ? {} : { time_decay_field }),
    ...(ingestion === undefined ? {} : { ingestion }),
  };
  requireSearchableFields(schema);
  requireWeightedFields(schema);
  requireLanguage(schema);
  requireSymbols(symbols);
  requireSuggestField(schema);
  requirePrimaryKey(schema);
  requireTimeDecayField(schema);
  requireKeepable(schema.ingestion);
  return schema;
}

function defaultSearchFields(fields: IndexSchema["fields"]): readonly string[] {
  return Object.entries(fields)
    .filter(([name, field]) => field.type === "text" && field.indexed && !isIdentifierField(name, field))
    .map(([name]) => name);
}

function requireSearchableFields(schema: IndexSchema): void {
  schema.search_fields.forEach((name, i) => {
    const path = `search_fields[${i}]`;
    const field = requireField(schema, name, path);
    if (isFlatFacet(field)) return;
    if (field.type !== "text") {
      const advice = field.type === "facet" ? `; with "hierarchical": false it could be one` : "";
      throw invalidSchema(path, `'${path}': '${name}' is of type ${field.type}, not text${advice}`);
    }
    if (!field.indexed && !isIdentifierField(name, field)) {
      throw invalidSchema(path, `'${path}': '${name}' is not indexed`);
    }
  });
}

function requireWeightedFields(schema: IndexSchema): void {
  for (const name of Object.keys(schema.weight_multipliers)) {
    requireField(schema, name, `weight_multipliers.${name}`);
  }
}

function requireLanguage({ language, enable_language_stemming }: IndexSchema): void {
  if (language !== undefined && !/^[a-z]{2}$/.test(language)) {
    throw invalidSchema(
      "language",
      `'language' must be two lower-case letters such as en, not '${language}'`,
    );
  }
  if (!enable_language_stemming) return;
  if (language === undefined) {
    throw invalidSchema("enable_language_stemming", "'enable_language_stemming' needs a 'language'");
  }
  if (!STEMMING_LANGUAGES.includes(language)) {
    throw invalidSchema(
      "enable_language_stemming",
      `'enable_language_stemming': there is no stemmer for '${language}', only for ${STEMMING_LANGUAGES.join(", ")}`,
    );
  }
}

/** Signs and punctuation of one code unit; white space, letters, digits, quotes and controls have their meaning. */
const SYMBOL = /^[\p{P}\p{S}]$/u;
const QUOTES = "'\"`´‘’“”„\\";

function requireSymbols(symbols: string): void {
  for (const symbol of symbols) {
    if (symbol.length === 1 && SYMBOL.test(symbol) && !QUOTES.includes(symbol)) continue;
    throw invalidSchema(
      "symbols",
      `'symbols' may hold signs such as +, #, & or @, and neither letters, digits, quotes nor white space: '${symbol}' can't be one`,
    );
  }
}

function requireSuggestField(schema: IndexSchema): void {
  const name = schema.suggest_field;
  if (name === undefined) return;
  const field = requireField(schema, name, "suggest_field");
  if (field.type === "text" && field.stored) return;
  throw invalidSchema("suggest_field", `'suggest_field': '${name}' must be a stored text field`);
}

const KEY_TYPES: readonly FieldType[] = ["text", "u64", "i64"];

function requirePrimaryKey(schema: IndexSchema): void {
  const name = schema.primary_key;
  if (name === undefined) return;
  const field = requireField(schema, name, "primary_key");
  if (KEY_TYPES.includes(field.type) && !field.multi) return;
  throw invalidSchema(
    "primary_key",
    `'primary_key': '${name}' must be a field of one value, of type ${KEY_TYPES.join(", ")}`,
  );
}

function requireTimeDecayField(schema: IndexSchema): void {
  const name = schema.time_decay_field;
  if (name === undefined) return;
  const field = requireField(schema, name, "time_decay_field");
  if (field.type === "datetime" && field.indexed && field.fast === true) return;
  throw invalidSchema(
    "time_decay_field",
    `'time_decay_field': '${name}' must be a datetime field that is indexed and fast`,
  );
}

function requireKeepable(ingestion: unknown): void {
  const problem = keptJsonProblem(ingestion);
  if (problem !== null) throw invalidSchema("ingestion", `'ingestion' ${problem}`);
}

function requireField(schema: IndexSchema, name: string, path: string): FieldDefinition {
  const field = fieldDefinition(schema, name);
  if (field !== undefined) return field;
  const advice = nearestNameAdvice(name, Object.keys(schema.fields));
  throw invalidSchema(path, `'${path}': there is no field '${name}'${advice}`);
}
