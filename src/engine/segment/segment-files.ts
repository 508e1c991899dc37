import type { FileOwner } from "../bytes/file-owner.js";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";

/** What writing a segment produced. */
export interface SegmentFiles {
  readonly name: string;
  /** What the files say they belong to. */
  readonly owner: FileOwner;
  readonly maxDoc: number;
  /** What all files take together. */
  readonly bytes: number;
  readonly files: readonly string[];
}

/** Index file: all sections but the documents themselves. */
export function indexFileName(segment: string): string {
  return `${segment}.idx`;
}

/** Document store. */
export function documentFileName(segment: string): string {
  return `${segment}.doc`;
}

/** The files that every segment has. One with deletes has a live-docs file besides. */
export function segmentFileNames(segment: string): readonly string[] {
  return [indexFileName(segment), documentFileName(segment)];
}

/** What the sections of a field start with: `f` and its ordinal in the schema. */
export function fieldPrefix(ordinal: number): string {
  return `f${ordinal}.`;
}

export function columnPrefix(ordinal: number): string {
  return `${fieldPrefix(ordinal)}column.`;
}

export function textOrderPrefix(ordinal: number): string {
  return `${fieldPrefix(ordinal)}order.`;
}

/** Whether the field has terms: indexed text and labels. */
export function hasTerms(field: EngineField): boolean {
  return (field.kind === "text" || field.kind === "label") && field.indexed;
}

/** Whether the field's values are counted as facets, labels as paths of one level. */
export function hasPaths({ kind }: EngineField): boolean {
  return kind === "facet" || kind === "label";
}

/** Whether the field has sort ranks: single-valued text. */
export function hasTextOrder(field: EngineField): boolean {
  return field.kind === "text" && !field.multi;
}

/** Whether the field has a column: keyword, label, facet and typed kinds, indexed or not, and text that is a key. */
export function hasColumn(field: EngineField): boolean {
  return field.kind === "text" ? field.keyed === true : field.kind !== "opaque";
}

/**
 * What a segment depends on in its schema, as JSON: field ordinals name its sections, kinds and
 * precisions decide its bytes, the analyzer its terms. Equal schemas give equal text.
 */
export function schemaJson(schema: EngineSchema): string {
  const known = KNOWN_JSON.get(schema);
  if (known !== undefined) return known;
  const json = toJson(schema);
  KNOWN_JSON.set(schema, json);
  return json;
}

/** Each segment is asked whether it is of its index's schema. */
const KNOWN_JSON = new WeakMap<EngineSchema, string>();

function toJson({ fields, analyzer }: EngineSchema): string {
  return JSON.stringify({
    fields: fields.map(({ name, kind, indexed, stored, multi, precision, keyed, composed }) => ({
      name,
      kind,
      indexed,
      stored,
      multi,
      ...(kind === "datetime" ? { precision: precision ?? "seconds" } : {}),
      ...(keyed === true ? { keyed } : {}),
      ...(composed === true ? { composed } : {}),
    })),
    analyzer: {
      version: analyzer.version,
      ...(analyzer.casing === undefined ? {} : { casing: analyzer.casing }),
      ...(analyzer.foldDiacritics === undefined ? {} : { foldDiacritics: analyzer.foldDiacritics }),
      ...(analyzer.stemming === undefined ? {} : { stemming: analyzer.stemming }),
      ...(analyzer.symbols === undefined ? {} : { symbols: analyzer.symbols }),
    },
  });
}
