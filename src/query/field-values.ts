import type { CanonicalValue } from "../contract/canonical-value.js";
import { canonicalInteger, INTEGER_LIMITS, type IntegerType } from "../contract/values/integer-limits.js";
import { parseDatetime } from "../contract/values/parse-datetime.js";
import { FACET_PATH_WANTED, parseFacetPath } from "../contract/values/parse-facet-path.js";
import { FindlingError } from "../errors/index.js";
import type { QueriedField } from "./queried-field.js";
import type { AstBound, QueryAst } from "./query-ast.js";
import { parseWholeNumber, type WholeNumber } from "./whole-number.js";

const DECIMAL_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The ends of a range as written; null is open. */
export interface WrittenRange {
  readonly lower: AstBound<string> | null;
  readonly upper: AstBound<string> | null;
}

/**
 * Documents whose field equals any of the values, by the field's type (contract 5.5, rule 10); every
 * type but text. A number that the type cannot hold equals nothing.
 *
 * @throws FindlingError `invalid_field_value` for text that is no value of the type
 */
export function equalityAst(field: QueriedField, written: readonly string[]): QueryAst {
  if (field.kind === "facet") {
    const paths = written.map((text) => parseFacetPath(text) ?? refuse(field, text, FACET_PATH_WANTED));
    return paths.length === 0
      ? { kind: "match_none" }
      : { kind: "facet", field: field.name, paths: [...new Set(paths)] };
  }
  const values = new Set<CanonicalValue>();
  for (const text of written) {
    const value = equalityValue(field, text);
    if (value !== null) values.add(value);
  }
  return values.size === 0
    ? { kind: "match_none" }
    : { kind: "value_set", field: field.name, values: [...values] };
}

/** Null for a value that no document can have. */
function equalityValue(field: QueriedField, text: string): CanonicalValue | null {
  switch (field.kind) {
    case "identifier":
    case "label":
      return text;
    case "bool": {
      const lower = text.toLowerCase();
      return lower === "true" || (lower !== "false" && refuse(field, text, "true or false"));
    }
    case "datetime":
      return parseDatetime(text, field.definition.precision ?? "seconds") ?? refuseDatetime(field, text);
    case "f64": {
      const value = float(field, text);
      return Number.isFinite(value) ? value : null;
    }
    case "u64":
    case "i64": {
      const { floor, isWhole } = wholeNumber(field, text);
      const { least, greatest } = INTEGER_LIMITS[field.kind];
      return isWhole && floor >= least && floor <= greatest ? canonicalInteger(floor) : null;
    }
    case "text":
    case "facet":
      throw new FindlingError("internal", `field '${field.name}' of type ${field.kind} has no single values`);
  }
}

/**
 * Documents with a value in the range; numbers and instants only. Bounds that the type cannot hold
 * are moved to the nearest value inside the range, so that back ends need not know them.
 *
 * @throws FindlingError `invalid_field_value` for a type without order and for text that is no value
 */
export function rangeAst(field: QueriedField, range: WrittenRange): QueryAst {
  switch (field.kind) {
    case "u64":
    case "i64":
      return integerRange(field, field.kind, range);
    case "f64":
      return floatRange(field, range);
    case "datetime":
      return valueRange(field, datetimeBound(field, range.lower), datetimeBound(field, range.upper));
    default:
      throw new FindlingError(
        "invalid_field_value",
        `field '${field.name}' of type ${field.definition.type} has no order; use field:value or field:IN [a b] instead of a range`,
      );
  }
}

function integerRange(field: QueriedField, type: IntegerType, range: WrittenRange): QueryAst {
  const { least, greatest } = INTEGER_LIMITS[type];
  let lower = least;
  let upper = greatest;
  if (range.lower !== null) {
    const { floor, isWhole } = wholeNumber(field, range.lower.value);
    lower = isWhole && range.lower.inclusive ? floor : floor + 1n;
  }
  if (range.upper !== null) {
    const { floor, isWhole } = wholeNumber(field, range.upper.value);
    upper = isWhole && !range.upper.inclusive ? floor - 1n : floor;
  }
  if (lower > upper || lower > greatest || upper < least) return { kind: "match_none" };
  return valueRange(
    field,
    lower <= least ? null : { value: canonicalInteger(lower), inclusive: true },
    upper >= greatest ? null : { value: canonicalInteger(upper), inclusive: true },
  );
}

function floatRange(field: QueriedField, range: WrittenRange): QueryAst {
  const lower = range.lower === null ? Number.NEGATIVE_INFINITY : float(field, range.lower.value);
  const upper = range.upper === null ? Number.POSITIVE_INFINITY : float(field, range.upper.value);
  if (lower > upper || lower === Number.POSITIVE_INFINITY || upper === Number.NEGATIVE_INFINITY) {
    return { kind: "match_none" };
  }
  return valueRange(
    field,
    Number.isFinite(lower) ? { value: lower, inclusive: range.lower?.inclusive ?? true } : null,
    Number.isFinite(upper) ? { value: upper, inclusive: range.upper?.inclusive ?? true } : null,
  );
}

function valueRange(
  field: QueriedField,
  lower: AstBound<CanonicalValue> | null,
  upper: AstBound<CanonicalValue> | null,
): QueryAst {
  if (lower === null && upper === null) return { kind: "exists", field: field.name };
  return { kind: "value_range", field: field.name, lower, upper };
}

function datetimeBound(field: QueriedField, bound: AstBound<string> | null): AstBound<CanonicalValue> | null {
  if (bound === null) return null;
  const value = parseDatetime(bound.value, "nanoseconds") ?? refuseDatetime(field, bound.value);
  return { value, inclusive: bound.inclusive };
}

/** May be infinite. */
function float(field: QueriedField, text: string): number {
  return DECIMAL_NUMBER.test(text) ? Number(text) + 0 : refuse(field, text, "a number");
}

function wholeNumber(field: QueriedField, text: string): WholeNumber {
  return parseWholeNumber(text) ?? refuse(field, text, "a number");
}

function refuseDatetime(field: QueriedField, text: string): never {
  return refuse(field, text, "RFC 3339, YYYY-MM-DD or Unix seconds, in the years 0001 to 9999");
}

/** Longest part of a refused value that a message repeats. */
const REPEATED_LENGTH_MAX = 100;

function refuse(field: QueriedField, text: string, wanted: string): never {
  const repeated = text.length > REPEATED_LENGTH_MAX ? `${text.slice(0, REPEATED_LENGTH_MAX)}…` : text;
  throw new FindlingError(
    "invalid_field_value",
    `'${repeated}' is no value of field '${field.name}' (${field.definition.type}); expected ${wanted}`,
  );
}
