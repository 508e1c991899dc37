import { FindlingError } from "../../errors/index.js";
import type { CanonicalValue } from "./document.js";
import type { EngineField } from "./engine-schema.js";
import { formatInstant, INSTANT_SECONDS_MAX, INSTANT_SECONDS_MIN } from "./instant.js";
import { I64_MIN, labelOfSortText, labelSortText } from "./sort-bytes.js";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes that a value of the kind takes; null where it varies. */
function sortBytesWidth(field: EngineField): number | null {
  switch (field.kind) {
    case "bool":
      return 1;
    case "u64":
    case "i64":
    case "f64":
      return 8;
    case "datetime":
      return 12;
    case "keyword":
    case "label":
    case "facet":
    case "text":
    case "opaque":
      return null;
  }
}

/**
 * The canonical value that `sortBytes` made the bytes of (facet: its path).
 *
 * @throws FindlingError `invalid_field_value` for bytes that no value of the kind has
 */
export function decodeSortBytes(field: EngineField, bytes: Uint8Array): CanonicalValue {
  const width = sortBytesWidth(field);
  if (width !== null && bytes.length !== width) throw undecodable(field, `${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (field.kind) {
    case "bool":
      if (bytes[0]! > 1) throw undecodable(field, "another byte than 0 or 1");
      return bytes[0] === 1;
    case "u64":
      return canonicalInteger(view.getBigUint64(0));
    case "i64":
      return canonicalInteger(view.getBigUint64(0) + I64_MIN);
    case "f64":
      return f64Value(field, view);
    case "datetime":
      return datetimeValue(field, view);
    case "keyword":
      return utf8Text(field, bytes);
    case "label":
      return label(field, bytes);
    case "facet":
      return facetPath(field, bytes);
    case "text":
      if (field.keyed === true) return utf8Text(field, bytes);
      throw undecodable(field, "a kind without a column");
    case "opaque":
      throw undecodable(field, "a kind without a column");
  }
}

function canonicalInteger(integer: bigint): CanonicalValue {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : String(integer);
}

function f64Value(field: EngineField, view: DataView): number {
  const bits = view.getBigUint64(0);
  const plain = new DataView(new ArrayBuffer(8));
  const positive = bits >= 0x8000_0000_0000_0000n;
  plain.setBigUint64(0, positive ? bits ^ 0x8000_0000_0000_0000n : ~bits & 0xffff_ffff_ffff_ffffn);
  const value = plain.getFloat64(0);
  if (!Number.isFinite(value) || Object.is(value, -0)) throw undecodable(field, "no finite number");
  return value;
}

function datetimeValue(field: EngineField, view: DataView): string {
  const seconds = (view.getUint32(0) ^ 0x8000_0000) * 0x1_0000_0000 + view.getUint32(4);
  const nanoseconds = view.getUint32(8);
  if (seconds < INSTANT_SECONDS_MIN || seconds > INSTANT_SECONDS_MAX || nanoseconds > 999_999_999) {
    throw undecodable(field, "no instant of the years 0001 to 9999");
  }
  return formatInstant(seconds, nanoseconds);
}

function facetPath(field: EngineField, bytes: Uint8Array): string {
  const text = bytes.slice();
  for (let i = 0; i < text.length; i++) {
    if (text[i] === 0x2f) throw undecodable(field, "a slash inside a segment");
    if (text[i] !== 0) continue;
    if (i + 1 === text.length || text[i + 1] === 0) throw undecodable(field, "an empty segment");
    text[i] = 0x2f;
  }
  if (text[0] !== 0x2f) throw undecodable(field, "no slash at the start");
  return utf8Text(field, text);
}

function label(field: EngineField, bytes: Uint8Array): string {
  const text = utf8Text(field, bytes);
  const value = labelOfSortText(text);
  if (labelSortText(value) !== text) throw undecodable(field, "what no label is written as");
  return value;
}

function utf8Text(field: EngineField, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes.slice());
  } catch (cause) {
    throw new FindlingError("invalid_field_value", `bytes of field '${field.name}' are not UTF-8`, { cause });
  }
}

function undecodable(field: EngineField, found: string): FindlingError {
  return new FindlingError(
    "invalid_field_value",
    `no value of field '${field.name}' (${field.kind}) has such bytes: ${found}`,
  );
}
