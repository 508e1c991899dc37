import type { AnalyzerSettings } from "../analysis/analyzer.js";
import { analyzerSettings } from "../analysis/analyzer-settings.js";
import { nearestNameAdvice } from "../contract/nearest-name.js";
import { describeKind } from "../contract/wire-object.js";
import {
  defineSchema as defineEngineSchema,
  type EngineField,
  type EngineSchema,
  type FieldShorthand,
} from "../engine/server-door.js";
import { refuse, requireFlag, requireMembers, requireText } from "./require-shape.js";

/** How an index's text becomes words. */
export interface TextAnalysis {
  /** Two-letter code, such as `en`. Says how letters are cased, and whose stemmer there is. */
  readonly language?: string;
  /** Whether forms of a word are one, as far as the language has a stemmer. Default true where there is a language. */
  readonly stemming?: boolean;
  /** Whether letters are found without their marks, `cafe` in *café*. Default false. */
  readonly foldDiacritics?: boolean;
  /** Signs that are part of words, such as `+#`. */
  readonly symbols?: string;
}

/** A schema as it is made by `defineSchema`, or the fields for it. */
export type SchemaInput = EngineSchema | Readonly<Record<string, FieldShorthand>>;

const FIELD_MEMBERS = ["kind", "indexed", "stored", "multi", "precision", "keyed"] as const;
const ANALYSIS_MEMBERS = ["language", "stemming", "foldDiacritics", "symbols"] as const;

/**
 * A schema with defaults filled in: fields are indexed, stored and have one value; text is analysed without stemming.
 *
 * ```ts
 * defineSchema({ title: "text", tags: { kind: "facet", multi: true } }, { language: "en" });
 * ```
 *
 * @throws FindlingError `invalid_schema` naming the field; `invalid_request` naming what is wrong with the analysis
 */
export function defineSchema(
  fields: Readonly<Record<string, FieldShorthand>>,
  analysis: TextAnalysis | AnalyzerSettings = {},
): EngineSchema {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields))
    refuse(`a schema's fields must be an object by name, not ${describeKind(fields)}`, "invalid_schema");
  for (const [name, field] of Object.entries<unknown>(fields)) requireField(name, field);
  return defineEngineSchema(fields, "version" in analysis ? analysis : settingsOf(analysis));
}

/** @throws FindlingError as `defineSchema` */
export function schemaOf(input: SchemaInput): EngineSchema {
  return isSchema(input) ? input : defineSchema(input);
}

/** @throws FindlingError `invalid_schema` naming the first difference between what is stored and what was asked for */
export function requireSameSchema(stored: EngineSchema, wanted: EngineSchema, place: string): void {
  const problem = differenceOf(stored, wanted);
  if (problem !== null)
    refuse(
      `the index in ${place} has another schema: ${problem}; open it, or take another folder`,
      "invalid_schema",
    );
}

function isSchema(input: SchemaInput): input is EngineSchema {
  return (
    typeof input === "object" &&
    input !== null &&
    Array.isArray((input as { readonly fields?: unknown }).fields)
  );
}

function requireField(name: string, field: unknown): void {
  if (typeof field === "string") return;
  const what = `field '${name}'`;
  if (typeof field !== "object" || field === null || Array.isArray(field))
    refuse(`${what} must be a kind or an object with a kind, not ${describeKind(field)}`, "invalid_schema");
  for (const [member, value] of Object.entries(field)) {
    if (!(FIELD_MEMBERS as readonly string[]).includes(member))
      refuse(`${what} has no '${member}'${nearestNameAdvice(member, FIELD_MEMBERS)}`, "invalid_schema");
    if (["indexed", "stored", "multi"].includes(member) && typeof value !== "boolean")
      refuse(`${what}: '${member}' must be true or false, not ${describeKind(value)}`, "invalid_schema");
  }
}

function settingsOf(analysis: TextAnalysis): AnalyzerSettings {
  const given = requireMembers("the settings of an analysis", analysis, ANALYSIS_MEMBERS);
  const { language, stemming, foldDiacritics, symbols } = given;
  return analyzerSettings({
    language: language === undefined ? undefined : requireText("language", language),
    stemming: stemming === undefined ? language !== undefined : requireFlag("stemming", stemming),
    foldDiacritics: foldDiacritics === undefined ? undefined : requireFlag("foldDiacritics", foldDiacritics),
    symbols: symbols === undefined ? undefined : requireText("symbols", symbols),
  });
}

function differenceOf(stored: EngineSchema, wanted: EngineSchema): string | null {
  for (const field of wanted.fields) {
    const found = stored.fields.find(({ name }) => name === field.name);
    if (found === undefined) return `it has no field '${field.name}'`;
    if (textOf(found) !== textOf(field)) return `its field '${field.name}' is ${textOf(found)}`;
  }
  const more = stored.fields.find(({ name }) => !wanted.fields.some((field) => field.name === name));
  if (more !== undefined) return `it also has a field '${more.name}'`;
  const [one, other] = [stored.analyzer, wanted.analyzer].map((each) =>
    JSON.stringify(Object.entries(each).sort()),
  );
  return one === other ? null : "its text was analysed otherwise";
}

/** All that a field says, in an order of its own. */
function textOf(field: EngineField): string {
  const { name: _, ...rest } = field;
  return JSON.stringify(Object.fromEntries(Object.entries(rest).sort()));
}
