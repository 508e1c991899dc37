import type { StoredAiConfig } from "./ai-config.js";

/**
 * An index's schema as stored and as the services use it: every default filled in (contract 4.1,
 * 4.2). Names are the wire's. The request schemas that produce it are beside this file.
 */

export const FIELD_TYPES = [
  "text",
  "facet",
  "bool",
  "f64",
  "u64",
  "i64",
  "datetime",
  "bytes",
  "json",
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export const DATETIME_PRECISIONS = ["seconds", "milliseconds", "microseconds", "nanoseconds"] as const;
export type DatetimePrecision = (typeof DATETIME_PRECISIONS)[number];

export interface FieldDefinition {
  readonly type: FieldType;
  readonly required: boolean;
  readonly stored: boolean;
  readonly indexed: boolean;
  readonly multi: boolean;
  /** Everything but text and facet has it. */
  readonly fast?: boolean;
  /** datetime only. */
  readonly precision?: DatetimePrecision;
  /** An extension: values are taken as databases and spreadsheets write them; absent where they aren't. */
  readonly coerce?: true;
  /** An extension, with `coerce`: how numbers or times are written, of `NUMBER_FORMATS` or a pattern of `DateFormat`. */
  readonly format?: string;
  /** An extension, with `coerce` and `multi`: what stands between the values of one text. */
  readonly separator?: string;
  /** An extension, with `coerce`: what stands between the levels of a facet path, in place of a slash. */
  readonly path_separator?: string;
  /** An extension: the facet is flat, any text one value; absent for facets of paths. */
  readonly hierarchical?: false;
  /** A text field of any name whose values are whole, as `id`'s are. Only the engine as a library has such fields. */
  readonly whole?: true;
  /** An empty text is refused. Only what documents are checked by has it, of the primary key. */
  readonly filled?: true;
}

export interface IndexSchema {
  readonly name: string;
  /** In the order of the request. The field `id` of type text is one whole, untokenized value. */
  readonly fields: Readonly<Record<string, FieldDefinition>>;
  readonly search_fields: readonly string[];
  readonly weight_multipliers: Readonly<Record<string, number>>;
  readonly language?: string;
  readonly enable_language_stemming: boolean;
  /** An extension: absent where it is off, so that nobody meets it who has not asked for it. */
  readonly fold_diacritics?: true;
  /** An extension: signs that are part of words; absent where there are none. */
  readonly symbols?: string;
  /** An extension: the field that suggestions take titles from; absent where none is named. */
  readonly suggest_field?: string;
  /** An extension: the field by whose values documents replace others; absent where none is named. */
  readonly primary_key?: string;
  /** The rules that the documents are analysed by; absent for the first ones. Never answered. */
  readonly analysis_version?: number;
  readonly exclude_stop_words: boolean;
  /** Seconds; 0 = off. */
  readonly auto_commit_delay: number;
  readonly time_decay_field?: string;
  readonly ingestion?: unknown;
  readonly ai_enabled: boolean;
  /** With the secret, encrypted or on its way there: never to be answered or logged as it is. */
  readonly ai?: StoredAiConfig;
}

/** The definition of a field, or undefined: also for names such as `constructor` that every object answers to. */
export function fieldDefinition(schema: IndexSchema, name: string): FieldDefinition | undefined {
  return Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
}

/** Whether a field is a flat facet: whole texts that are counted, filtered and ordered by, and searched by their words. */
export function isFlatFacet(definition: FieldDefinition): boolean {
  return definition.type === "facet" && definition.hierarchical === false;
}

/** Whether a field holds whole, case-sensitive values, as the source identifier does (contract 4.2). */
export function isIdentifierField(name: string, definition: FieldDefinition): boolean {
  return definition.type === "text" && (name === "id" || definition.whole === true);
}
