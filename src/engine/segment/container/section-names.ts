import { decodeUtf8 } from "../../bytes/byte-reader.js";

/** Names that are kept: some dozen for each field of a schema. */
const NAMES_MAX = 4096;
const FNV_OFFSET = 0x811c_9dc5;
const FNV_PRIME = 0x0100_0193;

/** By the hash of their bytes: all segments of an index have the same, and each would be decoded in some microseconds. */
const known = new Map<number, string>();

/** The name in these bytes. @throws MalformedBytesError if they are no well-formed UTF-8 */
export function sectionName(bytes: Uint8Array): string {
  let hash = FNV_OFFSET;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, FNV_PRIME);
  const before = known.get(hash);
  if (before !== undefined && isAscii(bytes, before)) return before;
  const name = decodeUtf8(bytes);
  if (known.size >= NAMES_MAX) known.clear();
  known.set(hash, name);
  return name;
}

/** Whether these bytes are the text, which is ASCII. */
function isAscii(bytes: Uint8Array, text: string): boolean {
  if (bytes.length !== text.length) return false;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] !== text.charCodeAt(i) || bytes[i]! >= 0x80) return false;
  }
  return true;
}
