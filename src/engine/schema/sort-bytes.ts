import { FindlingError } from "../../errors/index.js";
import { writeJson } from "../../json/exact-json.js";
import type { CanonicalValue } from "./document.js";
import type { DatetimePrecision, EngineField } from "./engine-schema.js";
import { INSTANT_SECONDS_MAX, INSTANT_SECONDS_MIN, parseInstant } from "./instant.js";
import { utf8Bytes } from "./utf8-bytes.js";

/** Nanoseconds in one unit of a datetime precision. */
const UNIT_NANOSECONDS: Readonly<Record<DatetimePrecision, number>> = {
  seconds: 1_000_000_000,
  milliseconds: 1_000_000,
  microseconds: 1_000,
  nanoseconds: 1,
};

export const U64_MAX: bigint = 2n ** 64n - 1n;
export const I64_MIN: bigint = -(2n ** 63n);
export const I64_MAX: bigint = 2n ** 63n - 1n;

const SLASH = 0x2f;
const FACET_WANTED = "a path such as '/a/b', without empty segments, a slash at the end or NUL characters";

/** Bytes of the longest value of a fixed-width kind, and of most keywords. */
const SCRATCH_BYTES = 64;

/**
 * Bytes of a typed value whose unsigned lexicographic order is the value's own order, so that one
 * column format serves every kind: `bool` 1 byte, `u64`/`i64`/`f64` 8 bytes big-endian (i64 with the
 * sign flipped, f64 by IEEE 754 total order with -0 as 0), `datetime` 12 bytes (seconds since the
 * epoch as biased u64, nanoseconds u32), `keyword` its UTF-8, `facet` its UTF-8 with every slash as
 * byte 0, so that a path's descendants follow it at once, `label` the UTF-8 of `labelSortText`: a path of one level.
 * A composed field's text is written in NFC.
 *
 * Integers may be numbers, bigints or decimal digit strings. A datetime is cut to the field's precision
 * (seconds where none is given). Unpaired surrogates in strings count as U+FFFD.
 *
 * @throws FindlingError `invalid_field_value` for a value that the kind cannot hold
 */
export function sortBytes(field: EngineField, value: CanonicalValue): Uint8Array {
  const isShort = typeof value !== "string" || value.length <= SHORT_TEXT_MAX;
  const writer = isShort ? SHORT_VALUES : new SortBytesWriter();
  const length = writer.write(field, value);
  return writer.bytes.slice(0, length);
}

/** `sortBytes` without an array per value, for the indexing path. */
export class SortBytesWriter {
  /** What was written last stands at the start. Changes identity with a longer value than before. */
  bytes: Uint8Array = new Uint8Array(SCRATCH_BYTES);
  #view: DataView = new DataView(this.bytes.buffer);

  /** Returns how many bytes the value takes. @throws as `sortBytes` does */
  write(field: EngineField, value: CanonicalValue): number {
    switch (field.kind) {
      case "bool":
        if (typeof value !== "boolean") throw invalid(field, value, "true or false");
        this.bytes[0] = value ? 1 : 0;
        return 1;
      case "u64":
        return this.#integer(field, value, false);
      case "i64":
        return this.#integer(field, value, true);
      case "f64":
        return this.#put(f64Bytes(doubleOf(field, value)));
      case "datetime":
        return this.#put(datetimeBytes(field, value));
      case "keyword":
        if (typeof value !== "string") throw invalid(field, value, "a string");
        return this.#text(field, value);
      case "label":
        if (typeof value !== "string") throw invalid(field, value, "a string");
        return this.#text(field, labelSortText(value));
      case "facet":
        return this.#facet(field, value);
      case "text":
        if (field.keyed !== true) throw withoutColumn(field);
        if (typeof value !== "string") throw invalid(field, value, "a string");
        return this.#text(field, value);
      case "opaque":
        throw withoutColumn(field);
    }
  }

  #integer(field: EngineField, value: CanonicalValue, signed: boolean): number {
    if (typeof value !== "number" || !Number.isSafeInteger(value) || (!signed && value < 0))
      return this.#put(longIntegerBytes(field, value, signed));
    const high = Math.floor(value / 0x1_0000_0000);
    this.#view.setUint32(0, signed ? high ^ 0x8000_0000 : high);
    this.#view.setUint32(4, value - high * 0x1_0000_0000);
    return 8;
  }

  #facet(field: EngineField, value: CanonicalValue): number {
    if (typeof value !== "string") throw invalid(field, value, FACET_WANTED);
    const length = value.length <= this.bytes.length ? this.#asciiFacet(value) : -1;
    return length >= 0 ? length : this.#anyFacet(field, value);
  }

  /** -1 if the path isn't all ASCII, or is none. */
  #asciiFacet(path: string): number {
    const { length } = path;
    const { bytes } = this;
    if (length === 0 || path.charCodeAt(0) !== SLASH || path.charCodeAt(length - 1) === SLASH) return -1;
    let previous = 1;
    for (let i = 0; i < length; i++) {
      const unit = path.charCodeAt(i);
      if (unit >= 0x80 || unit === 0) return -1;
      const byte = unit === SLASH ? 0 : unit;
      if (byte === 0 && previous === 0) return -1;
      bytes[i] = byte;
      previous = byte;
    }
    return length;
  }

  #anyFacet(field: EngineField, path: string): number {
    if (!path.startsWith("/") || path.endsWith("/") || path.includes("//") || path.includes("\0"))
      throw invalid(field, path, FACET_WANTED);
    const length = this.#text(field, path);
    const bytes = this.bytes;
    for (let i = 0; i < length; i++) {
      if (bytes[i] === SLASH) bytes[i] = 0;
    }
    return length;
  }

  #text({ composed }: EngineField, text: string): number {
    const length = text.length;
    if (length > this.bytes.length)
      return this.#put(utf8Bytes(composed === true ? text.normalize("NFC") : text));
    const bytes = this.bytes;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return this.#put(utf8Bytes(composed === true ? text.normalize("NFC") : text));
      bytes[i] = unit;
    }
    return length;
  }

  #put(source: Uint8Array): number {
    if (source.length > this.bytes.length) {
      this.bytes = new Uint8Array(2 * source.length);
      this.#view = new DataView(this.bytes.buffer);
    }
    this.bytes.set(source);
    return source.length;
  }
}

/** UTF-16 units whose bytes any writer has room for, once it has written them. */
const SHORT_TEXT_MAX = 256;
/** Scratch: a writer's two views take longer to make than most values to write. */
const SHORT_VALUES = new SortBytesWriter();

/** JSON of a large whole number is read as a bigint, whatever field it is in. */
function doubleOf(field: EngineField, value: CanonicalValue): number {
  const double = typeof value === "bigint" ? Number(value) : value;
  if (typeof double !== "number" || !Number.isFinite(double)) throw invalid(field, value, "a finite number");
  return double;
}

/** Bytes of an integer that no number holds, or the refusal of what is none. */
function longIntegerBytes(field: EngineField, value: CanonicalValue, signed: boolean): Uint8Array {
  const min = signed ? I64_MIN : 0n;
  const max = signed ? I64_MAX : U64_MAX;
  let integer: bigint | null = null;
  if (typeof value === "bigint") integer = value;
  if (typeof value === "number" && Number.isInteger(value)) integer = BigInt(value);
  // Digits are counted before BigInt sees them: a megabyte of them must not cost a second.
  if (typeof value === "string" && /^-?0*\d{1,20}$/.test(value))
    integer = BigInt(value.replace(/^(-?)0+(?=\d)/, "$1"));
  if (integer === null || integer < min || integer > max) {
    throw invalid(field, value, `an integer from ${min} to ${max}`);
  }
  return bigintBytes(integer, signed);
}

/** 8 bytes of an integer within range, the sign flipped if the kind is signed. */
export function bigintBytes(integer: bigint, signed: boolean): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, signed ? integer - I64_MIN : integer);
  return bytes;
}

/** 8 bytes of a finite number: all bits flipped below zero, else the sign alone. */
export function f64Bytes(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setFloat64(0, value === 0 ? 0 : value);
  if (value < 0) {
    view.setUint32(0, ~view.getUint32(0));
    view.setUint32(4, ~view.getUint32(4));
  } else {
    view.setUint32(0, view.getUint32(0) ^ 0x8000_0000);
  }
  return bytes;
}

function datetimeBytes(field: EngineField, value: CanonicalValue): Uint8Array {
  const instant = typeof value === "string" ? parseInstant(value) : null;
  if (instant === null || instant.seconds < INSTANT_SECONDS_MIN || instant.seconds > INSTANT_SECONDS_MAX) {
    throw invalid(field, value, "an RFC 3339 date-time with zone in the years 0001 to 9999");
  }
  const unit = UNIT_NANOSECONDS[field.precision ?? "seconds"];
  return instantBytes(instant.seconds, instant.nanoseconds - (instant.nanoseconds % unit));
}

/** 12 bytes of an instant, whatever its precision. */
export function instantBytes(seconds: number, nanoseconds: number): Uint8Array {
  const high = Math.floor(seconds / 0x1_0000_0000);
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, high ^ 0x8000_0000);
  view.setUint32(4, seconds - high * 0x1_0000_0000);
  view.setUint32(8, nanoseconds);
  return bytes;
}

/** A facet path by its sort bytes as text, in which slashes are 0. */
export function pathOfSortText(text: string): string {
  return text.replaceAll("\0", "/");
}

/** A label without the character U+0000, which separates the levels of paths; labels keep their order. */
export function labelSortText(label: string): string {
  return label.replaceAll("\x01", "\x01\x02").replaceAll("\0", "\x01\x01");
}

/** The label that `labelSortText` made the text of. */
export function labelOfSortText(text: string): string {
  return text.replaceAll("\x01\x01", "\0").replaceAll("\x01\x02", "\x01");
}

function withoutColumn(field: EngineField): FindlingError {
  return new FindlingError("invalid_field_value", `field '${field.name}' is ${field.kind} and has no column`);
}

/** The refusal of a value, quoting at most its first 100 characters. */
function invalid(field: EngineField, value: CanonicalValue, wanted: string): FindlingError {
  const json = writeJson(value) ?? "undefined";
  const shown = json.length > 100 ? `${json.slice(0, 100)}…` : json;
  return new FindlingError(
    "invalid_field_value",
    `field '${field.name}' (${field.kind}) wants ${wanted}, got ${shown}`,
  );
}
