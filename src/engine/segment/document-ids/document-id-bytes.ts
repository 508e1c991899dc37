import { FindlingError } from "../../../errors/index.js";
import type { DocumentId } from "../../schema/document.js";

/** Bytes of a document id: two hex digits each. */
export const DOCUMENT_ID_BYTES = 16;

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Writes the id's 16 bytes at `offset`; false if it isn't 32 lower-case hex digits. */
export function writeDocumentId(id: DocumentId, target: Uint8Array, offset: number): boolean {
  if (id.length !== 2 * DOCUMENT_ID_BYTES) return false;
  for (let i = 0; i < DOCUMENT_ID_BYTES; i++) {
    const high = hexDigit(id.charCodeAt(2 * i));
    const low = hexDigit(id.charCodeAt(2 * i + 1));
    if (high < 0 || low < 0) return false;
    target[offset + i] = (high << 4) | low;
  }
  return true;
}

export function documentIdAt(source: Uint8Array, offset: number): DocumentId {
  let id = "";
  for (let i = 0; i < DOCUMENT_ID_BYTES; i++) id += HEX[source[offset + i]!];
  return id;
}

/** Order of two ids as bytes, which is that of their text: below 0, 0 or above 0. */
export function compareDocumentIds(a: Uint8Array, aOffset: number, b: Uint8Array, bOffset: number): number {
  for (let i = 0; i < DOCUMENT_ID_BYTES; i++) {
    const difference = a[aOffset + i]! - b[bOffset + i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

export function invalidDocumentId(id: DocumentId): FindlingError {
  return new FindlingError(
    "internal",
    `a document id is 32 lower-case hex digits, got ${JSON.stringify(id)}`,
  );
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
}
