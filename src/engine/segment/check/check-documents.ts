import { readJson } from "../../../json/exact-json.js";
import { decodeUtf8 } from "../../bytes/byte-reader.js";
import type { CanonicalValue } from "../../schema/document.js";
import type { EngineField } from "../../schema/engine-schema.js";
import { indexedFacetLength } from "../../schema/facet-bounds.js";
import { sortBytes } from "../../schema/sort-bytes.js";
import type { ColumnReader } from "../columns/column-reader.js";
import type { OpenSegment } from "../open-segment.js";
import { hasColumn, hasTextOrder } from "../segment-files.js";
import type { TextOrderCheck } from "./check-text-order.js";

type Members = Readonly<Record<string, CanonicalValue>>;

/** Wrong documents named at most; one damage may touch them all. */
const PROBLEMS_MAX = 20;

/**
 * What is wrong with a segment's documents in themselves or against its columns and terms. Reads all,
 * in a row, and shows the checks of ranks their values.
 */
export function checkDocuments(
  segment: OpenSegment,
  ranks: ReadonlyMap<EngineField, TextOrderCheck>,
): string[] {
  const problems: string[] = [];
  segment.documents.forEach((docId, storedBytes, unstoredBytes) => {
    if (problems.length >= PROBLEMS_MAX) return;
    try {
      const stored = membersOf(segment, storedBytes, true);
      const unstored = membersOf(segment, unstoredBytes, false);
      for (const field of segment.schema.fields) {
        const members = field.stored ? stored : unstored;
        const value = Object.hasOwn(members, field.name) ? members[field.name]! : undefined;
        ranks.get(field)?.learn(docId, typeof value === "string" ? value : null);
        const problem = checkValue(segment, field, docId, value);
        if (problem !== null) problems.push(`document ${docId}, field '${field.name}': ${problem}`);
      }
    } catch (error) {
      problems.push(`document ${docId}: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  return problems;
}

/** Members of one of a document's two JSON texts, none that belongs elsewhere. */
function membersOf(segment: OpenSegment, json: Uint8Array, stored: boolean): Members {
  const members: unknown = readJson(decodeUtf8(json));
  if (typeof members !== "object" || members === null || Array.isArray(members))
    throw new Error("it is no JSON object");
  const wanted = segment.schema.fields.filter(
    (field) => field.stored === stored && Object.hasOwn(members, field.name),
  );
  if (Object.keys(members).length !== wanted.length)
    throw new Error("it has members that don't belong there");
  return members as Members;
}

function checkValue(
  segment: OpenSegment,
  field: EngineField,
  docId: number,
  value: CanonicalValue | undefined,
): string | null {
  if (hasColumn(field)) {
    const values = value === undefined ? [] : Array.isArray(value) ? (value as CanonicalValue[]) : [value];
    const problem = checkColumnValues(segment.column(field.name), field, docId, values);
    if (problem !== null || field.kind !== "text") return problem;
  }
  if (hasTextOrder(field) && value !== undefined && segment.textOrder(field.name) === null)
    return "it has no sort rank";
  const tokens = segment.terms(field.name)?.lengthOf(docId) ?? 0;
  return tokens > 0 && value === undefined ? "it has tokens without a value" : null;
}

function checkColumnValues(
  column: ColumnReader | null,
  field: EngineField,
  docId: number,
  values: readonly CanonicalValue[],
): string | null {
  const wanted = new Set<number>();
  for (const value of values) wanted.add(column === null ? -1 : ordinalOf(column, field, value));
  const found = column === null ? [] : ordinalsOf(column, docId);
  const isEqual = wanted.size === found.length && found.every((ordinal) => wanted.has(ordinal));
  return isEqual ? null : "its column has other values";
}

/** Segments of before there were bounds hold facet paths whole, which others hold as far as they are indexed. */
function ordinalOf(column: ColumnReader, field: EngineField, value: CanonicalValue): number {
  const bytes = sortBytes(field, value);
  const whole = column.ordinalOf(bytes);
  if (whole >= 0 || field.kind !== "facet") return whole;
  return column.ordinalOf(bytes.subarray(0, indexedFacetLength(bytes, bytes.length)));
}

function ordinalsOf(column: ColumnReader, docId: number): readonly number[] {
  if (column.ordinals !== null) {
    const stored = column.ordinals[docId]!;
    return stored === 0 ? [] : [stored - 1];
  }
  const starts = column.multiStarts!;
  return [...column.multiOrdinals!.subarray(starts[docId]!, starts[docId + 1]!)];
}
