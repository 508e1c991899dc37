import { compareBytes } from "./compare-bytes.js";
import { decodeSortBytes } from "./decode-sort-bytes.js";
import type { EngineField } from "./engine-schema.js";

/** A value by which hits are ordered: its field, and its sort bytes. */
export interface SortValue {
  readonly field: EngineField;
  readonly bytes: Uint8Array;
}

/**
 * Order of two values of fields of one name in different indexes: numbers by what they are, whatever
 * kind holds them, everything else by its bytes. Negative, 0 or positive.
 */
export function compareSortValues(left: SortValue, right: SortValue): number {
  const kind = left.field.kind;
  if (kind === right.field.kind || !isNumeric(left.field) || !isNumeric(right.field)) {
    return compareBytes(left.bytes, right.bytes);
  }
  const leftNumber = numberOf(left);
  const rightNumber = numberOf(right);
  // Between bigint and number, JavaScript compares exactly.
  if (leftNumber < rightNumber) return -1;
  return leftNumber > rightNumber ? 1 : 0;
}

function isNumeric({ kind }: EngineField): boolean {
  return kind === "u64" || kind === "i64" || kind === "f64";
}

/** Integers beyond what a number holds come as digits. */
function numberOf({ field, bytes }: SortValue): number | bigint {
  const value = decodeSortBytes(field, bytes);
  return typeof value === "string" ? BigInt(value) : (value as number);
}
