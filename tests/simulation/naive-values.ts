/**
 * Values compared the obvious way, for the oracle: nothing here is shared with the engine.
 */
import type { CanonicalValue } from "../../src/engine/schema/document.js";
import type { EngineField } from "../../src/engine/schema/engine-schema.js";

/** Sign of the order of two strings by code points. */
export function compareCodePoints(left: string, right: string): number {
  const a = [...left];
  const b = [...right];
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = a[i]!.codePointAt(0)! - b[i]!.codePointAt(0)!;
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(a.length - b.length);
}

/** Sign of the order of two values of a field as a range or an equality compares them. */
export function compareValues(field: EngineField, left: CanonicalValue, right: CanonicalValue): number {
  switch (field.kind) {
    case "bool":
      return Number(left) - Number(right);
    case "u64":
    case "i64":
    case "f64": {
      const difference = scaled(left) - scaled(right);
      return difference < 0n ? -1 : difference > 0n ? 1 : 0;
    }
    case "datetime":
      return compareCodePoints(padded(String(left)), padded(String(right)));
    case "text":
    case "keyword":
    case "label":
    case "facet":
    case "opaque":
      return compareCodePoints(String(left), String(right));
  }
}

/** The order of `orderBy`: text, keywords and labels without regard to case. */
export function compareForOrder(field: EngineField, left: CanonicalValue, right: CanonicalValue): number {
  if (!["text", "keyword", "label"].includes(field.kind)) return compareValues(field, left, right);
  return compareCodePoints(String(left).toLowerCase(), String(right).toLowerCase());
}

/** A plain decimal number as an integer of 20 decimal places. Numbers in exponent form aren't generated. */
function scaled(value: CanonicalValue): bigint {
  const text = String(value);
  const [whole, fraction = ""] = text.replace("-", "").split(".");
  const digits = BigInt(whole + fraction.padEnd(20, "0"));
  return text.startsWith("-") ? -digits : digits;
}

/** Seconds and nine digits of fraction, so that instants in UTC compare as strings. */
function padded(instant: string): string {
  const [seconds, fraction = ""] = instant.replace("Z", "").split(".");
  return `${seconds}.${fraction.padEnd(9, "0")}`;
}

/** A field's values as a list. */
export function valuesOf(value: CanonicalValue | undefined): readonly CanonicalValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value as CanonicalValue];
}

/** Few words are compared, by every document anew. */
const DISTANCES = new Map<string, number>();
const DISTANCES_MAX = 500_000;

/** Optimal string alignment distance over code points. */
export function editDistance(left: string, right: string): number {
  const pair = `${left}\0${right}`;
  let distance = DISTANCES.get(pair);
  if (distance === undefined) {
    if (DISTANCES.size === DISTANCES_MAX) DISTANCES.clear();
    DISTANCES.set(pair, (distance = distanceByMatrix(left, right)));
  }
  return distance;
}

function distanceByMatrix(left: string, right: string): number {
  const a = [...left];
  const b = [...right];
  const matrix = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const substitution = matrix[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(substitution, matrix[i - 1]![j]! + 1, matrix[i]![j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, matrix[i - 2]![j - 2]! + 1);
      }
      matrix[i]![j] = cost;
    }
  }
  return matrix[a.length]![b.length]!;
}
