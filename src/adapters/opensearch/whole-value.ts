import { hash } from "node:crypto";
import type { CanonicalValue } from "../../contract/canonical-value.js";
import { type EngineField, sortBytes } from "../../engine/server-door.js";

/** Whether documents are found by a field's whole values: facets are by their paths, and of text only a key's values are. */
export function isFoundWhole({ kind, keyed }: EngineField): boolean {
  if (kind === "text") return keyed === true;
  return kind !== "facet" && kind !== "opaque";
}

/** How a value is found as a whole: text by its digest, as it may be of any length. */
export function wholeValue(field: EngineField, value: CanonicalValue): string {
  switch (field.kind) {
    case "keyword":
    case "label":
      return comparedText(field, value);
    case "text":
      return hash("sha256", comparedText(field, value), "base64url").slice(0, 27);
    default:
      return hexadecimal(sortBytes(field, value));
  }
}

/** A whole text in the form that is found and ordered. */
export function comparedText({ composed }: EngineField, value: CanonicalValue): string {
  const text = String(value);
  return composed === true ? text.normalize("NFC") : text;
}

export function hexadecimal(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
