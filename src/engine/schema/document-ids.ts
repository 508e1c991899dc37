import type { DocumentId } from "./document.js";

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** New ids: 128 random bits each as 32 lower-case hex digits. */
export function newDocumentIds(count: number): DocumentId[] {
  const ids: DocumentId[] = [];
  // getRandomValues gives at most 65,536 bytes a call.
  const bytes = new Uint8Array(Math.min(count, 4096) * 16);
  while (ids.length < count) {
    const batch = Math.min(count - ids.length, 4096);
    crypto.getRandomValues(bytes.subarray(0, batch * 16));
    for (let i = 0; i < batch; i++) {
      let id = "";
      for (let j = 0; j < 16; j++) id += HEX[bytes[i * 16 + j]!];
      ids.push(id);
    }
  }
  return ids;
}
