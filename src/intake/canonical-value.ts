import type { CanonicalValue } from "../contract/canonical-value.js";
import { type FieldDefinition, isFlatFacet } from "../contract/index-schema.js";
import { keptJsonProblem } from "../contract/kept-json.js";
import { isExactNumber } from "../contract/values/exact-number.js";
import { parseDatetime } from "../contract/values/parse-datetime.js";
import { FACET_BYTES_MAX, FACET_PATH_WANTED, parseFacetPath } from "../contract/values/parse-facet-path.js";
import { parseFloat64 } from "../contract/values/parse-float64.js";
import { parseInteger } from "../contract/values/parse-integer.js";
import { describeKind } from "../contract/wire-object.js";
import { coercedValue } from "./coerced-value.js";

/** Why a value doesn't fit its field, worded to follow the field's name. */
export class ValueProblem {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Bytes of UTF-8 that one text value may take (contract 4.3). */
const MAX_TEXT_BYTES = 1024 * 1024;

/**
 * One value, neither null nor an array of several, in the canonical form of its field's type; undefined where it says
 * that there is none, as an empty text does in a flat facet.
 *
 * @param raw any JSON value but null
 */
export function canonicalValue(
  field: FieldDefinition,
  raw: unknown,
): CanonicalValue | ValueProblem | undefined {
  if (field.coerce === true) {
    const value = coercedValue(field, raw);
    if (value !== null) return value;
  }
  switch (field.type) {
    case "text":
      return field.filled === true && raw === "" ? EMPTY_KEY : canonicalText(raw);
    case "facet":
      if (isFlatFacet(field)) return flatFacetValue(raw);
      return (typeof raw === "string" ? parseFacetPath(raw) : null) ?? facetProblem(raw);
    case "bool":
      return canonicalBoolean(raw);
    case "f64":
      return (
        (isNumeric(raw) ? parseFloat64(typeof raw === "bigint" ? Number(raw) : raw) : null) ??
        problem("must be a finite number", raw)
      );
    case "u64":
      return (
        (isNumeric(raw) ? parseInteger(raw, "u64") : null) ??
        problem("must be an integer from 0 to 2^64-1, beyond 2^53-1 in digits alone", raw)
      );
    case "i64":
      return (
        (isNumeric(raw) ? parseInteger(raw, "i64") : null) ??
        problem("must be an integer from -2^63 to 2^63-1, beyond ±(2^53-1) in digits alone", raw)
      );
    case "datetime":
      return (
        (isNumeric(raw)
          ? parseDatetime(typeof raw === "bigint" ? Number(raw) : raw, field.precision ?? "seconds")
          : null) ?? problem("must be a time such as 2024-05-01T12:00:00Z, 2024-05-01 or Unix seconds", raw)
      );
    case "bytes":
      return typeof raw === "string" && isBase64(raw) ? raw : problem("must be a string of base64", raw);
    case "json": {
      const message = keptJsonProblem(raw);
      return message === null ? (raw as CanonicalValue) : new ValueProblem(message);
    }
  }
}

const EMPTY_KEY = new ValueProblem(
  "is empty, and no document can be found by a primary key of no characters",
);

function canonicalText(raw: unknown): string | ValueProblem {
  if (typeof raw === "boolean") return String(raw);
  if (typeof raw === "bigint") return String(raw);
  if (typeof raw === "number") {
    if (isExactNumber(raw)) return JSON.stringify(raw);
    return problem("must be a string, or a number, beyond ±(2^53-1) in digits alone", raw);
  }
  if (typeof raw !== "string") return problem("must be a string", raw);
  // A UTF-16 unit takes at most three bytes, so most texts need no counting.
  if (raw.length * 3 <= MAX_TEXT_BYTES || encoder.encode(raw).length <= MAX_TEXT_BYTES) return raw;
  return new ValueProblem("is longer than 1 MiB");
}

const encoder = new TextEncoder();

function flatFacetValue(raw: unknown): string | ValueProblem | undefined {
  const text = canonicalText(raw);
  if (typeof text !== "string") return text;
  // It is counted in that form.
  if (bytesOf(text.normalize("NFC")) <= FACET_BYTES_MAX) return text === "" ? undefined : text;
  return new ValueProblem(`is longer than ${FACET_BYTES_MAX} bytes, which a facet's value may have`);
}

/** In UTF-8; no fewer than UTF-16 units. */
function bytesOf(text: string): number {
  return text.length > FACET_BYTES_MAX ? text.length : encoder.encode(text).length;
}

function canonicalBoolean(raw: unknown): boolean | ValueProblem {
  if (typeof raw === "boolean") return raw;
  if (raw === "true" || raw === "false") return raw === "true";
  return problem("must be true or false", raw);
}

function isNumeric(raw: unknown): raw is string | number | bigint {
  return typeof raw === "string" || typeof raw === "number" || typeof raw === "bigint";
}

/** RFC 4648 with padding. A loop, because a regular expression backtracks over megabytes. */
function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  for (let i = 0; i < text.length - padding; i++) {
    if (!BASE64_CODES.has(text.charCodeAt(i))) return false;
  }
  return true;
}

const BASE64_CODES: ReadonlySet<number> = new Set(
  Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", (character) =>
    character.charCodeAt(0),
  ),
);

function facetProblem(raw: unknown): ValueProblem {
  return problem(`must be ${FACET_PATH_WANTED}`, raw);
}

/** How much of a wrong text is worth quoting. */
const QUOTED_CHARACTERS = 40;

function problem(expectation: string, raw: unknown): ValueProblem {
  return new ValueProblem(`${expectation}, not ${describeValue(raw)}`);
}

function describeValue(raw: unknown): string {
  if (typeof raw === "number" || typeof raw === "bigint" || typeof raw === "boolean")
    return raw === Infinity || raw === -Infinity ? "a number beyond ±1.8e308" : cutValue(String(raw));
  if (typeof raw !== "string") return describeKind(raw);
  return `'${cutValue(raw)}'`;
}

function cutValue(text: string): string {
  return text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text;
}
