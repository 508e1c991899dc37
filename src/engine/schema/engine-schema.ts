import type { AnalyzerSettings } from "../../analysis/analyzer.js";

/**
 * What a field holds.
 *
 * - `text`: analysed into terms with positions and norms
 * - `keyword`: one whole, case-sensitive value per entry (the wire's `id`)
 * - `label`: one whole, case-sensitive value per entry of up to 4,096 bytes, counted as facets are, and analysed too
 * - `facet`: slash-separated path; matches itself and every ancestor path, up to 64 levels and 4,096 bytes of it
 * - `bool`, `u64`, `i64`, `f64`, `datetime`: typed values, compared exactly
 * - `opaque`: JSON of every kind, stored only
 */
export const FIELD_KINDS = [
  "text",
  "keyword",
  "label",
  "facet",
  "bool",
  "u64",
  "i64",
  "f64",
  "datetime",
  "opaque",
] as const;

export type FieldKind = (typeof FIELD_KINDS)[number];

export type DatetimePrecision = "seconds" | "milliseconds" | "microseconds" | "nanoseconds";

export interface EngineField {
  /** Unique in the schema. */
  readonly name: string;
  readonly kind: FieldKind;
  /** Whether the field can be queried; of a label, whether its words can. Typed kinds, keyword, label and facet have a column all the same. */
  readonly indexed: boolean;
  /** Whether the value is part of the document that a hit returns. Unstored values are kept apart. */
  readonly stored: boolean;
  /** Whether the field holds several values; they come back as an array. */
  readonly multi: boolean;
  /** For `datetime`: values are truncated to it. */
  readonly precision?: DatetimePrecision;
  /** For `text` with one value: it has a column of whole values besides, so that the field can be a key. One at most. */
  readonly keyed?: true;
  /** For `text`, `keyword`, `label` and `facet`: whole values are found, ordered and counted in NFC, whatever form they are kept in. */
  readonly composed?: true;
}

/** Fixed for the life of an index; field order is the order of stored members and of facets. */
export interface EngineSchema {
  readonly fields: readonly EngineField[];
  readonly analyzer: AnalyzerSettings;
}
