import { FindlingError } from "../../errors/index.js";
import { compareDecimalToF64, type Decimal, floorOfDecimal, parseDecimal } from "./decimal.js";
import type { CanonicalValue } from "./document.js";
import type { EngineField } from "./engine-schema.js";
import { parseInstant } from "./instant.js";
import { bigintBytes, f64Bytes, I64_MAX, I64_MIN, instantBytes, sortBytes, U64_MAX } from "./sort-bytes.js";

/**
 * A range's bound in terms of sort bytes: values on the near side of `bytes` match, and `bytes`
 * itself if `inclusive`; or every value of the field matches, or none.
 */
export type ResolvedBound = { readonly bytes: Uint8Array; readonly inclusive: boolean } | "all" | "none";

export type RangeSide = "lower" | "upper";

/** More than the digits of any 64-bit integer. */
const INTEGER_DIGITS = 20;

/**
 * What a bound of a range over the field means for its sort bytes. Bounds are compared exactly even
 * where the kind cannot hold them: numbers may be numbers or decimal strings of any length
 * (`u64 > -1`, `u64 > 2.5`, `i64 < 1e30`), datetimes may have any precision. Kept values have the
 * field's own precision, the bound is not cut to it.
 *
 * @throws FindlingError `invalid_field_value` for a bound that is no number, instant, boolean or string at all
 */
export function rangeBound(
  field: EngineField,
  value: CanonicalValue,
  inclusive: boolean,
  side: RangeSide,
): ResolvedBound {
  switch (field.kind) {
    case "u64":
      return integerBound(field, value, inclusive, side, 0n, U64_MAX);
    case "i64":
      return integerBound(field, value, inclusive, side, I64_MIN, I64_MAX);
    case "f64":
      return f64Bound(field, value, inclusive, side);
    case "datetime":
      return datetimeBound(field, value, inclusive, side);
    case "bool":
    case "keyword":
    case "label":
    case "facet":
    case "text":
    case "opaque":
      return { bytes: sortBytes(field, value), inclusive };
  }
}

function integerBound(
  field: EngineField,
  value: CanonicalValue,
  inclusive: boolean,
  side: RangeSide,
  min: bigint,
  max: bigint,
): ResolvedBound {
  const { floor, exact } = floorOf(field, value);
  if (floor < min) return side === "lower" ? "all" : "none";
  if (floor > max) return side === "lower" ? "none" : "all";
  const bytes = bigintBytes(BigInt(floor), min < 0n);
  // Between floor and floor + 1 there is no integer, so beyond the bound means beyond its floor.
  return { bytes, inclusive: exact ? inclusive : side === "upper" };
}

function floorOf(field: EngineField, value: CanonicalValue): ReturnType<typeof floorOfDecimal> {
  if (typeof value === "number" && Number.isFinite(value)) {
    return { floor: BigInt(Math.floor(value)), exact: Number.isInteger(value) };
  }
  return floorOfDecimal(decimalOf(field, value), INTEGER_DIGITS);
}

function f64Bound(
  field: EngineField,
  value: CanonicalValue,
  inclusive: boolean,
  side: RangeSide,
): ResolvedBound {
  if (typeof value === "number" && Number.isFinite(value)) return { bytes: f64Bytes(value), inclusive };
  const decimal = decimalOf(field, value);
  const nearest = Number(value);
  if (!Number.isFinite(nearest)) return nearest > 0 === (side === "lower") ? "none" : "all";
  const order = compareDecimalToF64(decimal, nearest);
  if (order === 0) return { bytes: f64Bytes(nearest), inclusive };
  // The bound lies between `nearest` and its neighbour on the side of `order`.
  return { bytes: f64Bytes(nearest), inclusive: order > 0 === (side === "upper") };
}

function datetimeBound(
  field: EngineField,
  value: CanonicalValue,
  inclusive: boolean,
  side: RangeSide,
): ResolvedBound {
  const instant = typeof value === "string" ? parseInstant(value) : null;
  if (instant === null) throw invalidBound(field, value, "an RFC 3339 date-time with zone");
  const bytes = instantBytes(instant.seconds, instant.nanoseconds);
  return { bytes, inclusive: instant.truncated ? side === "upper" : inclusive };
}

function decimalOf(field: EngineField, value: CanonicalValue): Decimal {
  const decimal = typeof value === "string" ? parseDecimal(value) : null;
  if (decimal === null) throw invalidBound(field, value, "a decimal number");
  return decimal;
}

function invalidBound(field: EngineField, value: CanonicalValue, wanted: string): FindlingError {
  const json = JSON.stringify(value) ?? "undefined";
  const shown = json.length > 100 ? `${json.slice(0, 100)}…` : json;
  return new FindlingError(
    "invalid_field_value",
    `a range over field '${field.name}' (${field.kind}) wants ${wanted} as bound, got ${shown}`,
  );
}
