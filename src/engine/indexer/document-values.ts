import { POSITION_GAP } from "../../analysis/analyzer.js";
import { FindlingError } from "../../errors/index.js";
import type { CanonicalDocument, CanonicalValue } from "../schema/document.js";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import { sortBytes } from "../schema/sort-bytes.js";

/** What one field of a document adds to a segment. */
export interface FieldValue {
  /** The value itself, undefined if absent. */
  readonly value: CanonicalValue | undefined;
  /** Text fields: their values. */
  readonly texts: readonly string[];
  /** Keyword, facet and typed fields: sort bytes of their values. */
  readonly columnValues: readonly Uint8Array[];
}

const ABSENT: FieldValue = { value: undefined, texts: [], columnValues: [] };

/** Positions are 31-bit numbers. */
const POSITION_MAX = 0x7fff_ffff;

/**
 * A document's values in schema order, checked against the schema.
 *
 * @throws FindlingError `invalid_document` naming the first field that doesn't fit
 */
export function documentValues(schema: EngineSchema, document: CanonicalDocument): FieldValue[] {
  let found = 0;
  const values = schema.fields.map((field): FieldValue => {
    // Own members only: a field may be called like something that every object inherits.
    if (!Object.hasOwn(document, field.name)) return ABSENT;
    const value = document[field.name];
    found++;
    return value === undefined ? ABSENT : fieldValue(field, value);
  });
  if (Object.keys(document).length !== found) throw unknownMember(schema, document);
  return values;
}

function fieldValue(field: EngineField, value: CanonicalValue): FieldValue {
  const entries = field.multi ? entriesOf(field, value) : [value];
  switch (field.kind) {
    case "opaque":
      return { value, texts: [], columnValues: [] };
    case "text":
      return { value, texts: textsOf(field, entries), columnValues: [] };
    default:
      return { value, texts: [], columnValues: entries.map((entry) => columnValue(field, entry)) };
  }
}

function entriesOf(field: EngineField, value: CanonicalValue): readonly CanonicalValue[] {
  if (Array.isArray(value) && value.length > 0) return value;
  throw new FindlingError(
    "invalid_document",
    `field '${field.name}' has several values and wants a list with at least one`,
  );
}

function textsOf(field: EngineField, entries: readonly CanonicalValue[]): string[] {
  const texts: string[] = [];
  let positions = 0;
  for (const entry of entries) {
    if (typeof entry !== "string")
      throw new FindlingError("invalid_document", `field '${field.name}' (text) wants a string`);
    positions += entry.length + POSITION_GAP;
    texts.push(entry);
  }
  if (positions > POSITION_MAX) {
    throw new FindlingError(
      "invalid_document",
      `field '${field.name}' has too much text; split the document`,
    );
  }
  return texts;
}

function columnValue(field: EngineField, entry: CanonicalValue): Uint8Array {
  try {
    return sortBytes(field, entry);
  } catch (error) {
    if (!(error instanceof FindlingError)) throw error;
    throw new FindlingError("invalid_document", error.message, { cause: error });
  }
}

function unknownMember(schema: EngineSchema, document: CanonicalDocument): FindlingError {
  const names = new Set(schema.fields.map((field) => field.name));
  const unknown = Object.keys(document).find((name) => !names.has(name));
  return new FindlingError("invalid_document", `the schema has no field '${unknown}'; leave it out`);
}
