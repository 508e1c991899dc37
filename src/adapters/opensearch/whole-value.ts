import { createHash } from "node:crypto";
import type { CanonicalValue } from "../../contract/canonical-value.js";
import { type EngineField, sortBytes } from "../../engine/server-door.js";

/** How a value is found as a whole: text by its digest, as it may be of any length. */
export function wholeValue(field: EngineField, value: CanonicalValue): string {
  switch (field.kind) {
    case "keyword":
    case "label":
      return String(value);
    case "text":
      return createHash("sha256").update(String(value)).digest("base64url").slice(0, 27);
    default:
      return hexadecimal(sortBytes(field, value));
  }
}

export function hexadecimal(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
