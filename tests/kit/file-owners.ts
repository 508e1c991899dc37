import { crc32 } from "../../src/engine/bytes/crc32.js";

/**
 * A segment's index file or document store without the random bits that say which segment it belongs to, and without
 * the checksum of these: what is left depends on the documents alone.
 */
export function withoutOwner(fileName: string, bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  if (fileName.endsWith(".idx")) return copy.fill(0, 12, 32);
  return copy.fill(0, 8, 24).fill(0, copy.length - 8, copy.length - 4);
}

/** A document store that says it belongs to the segment that another one says it belongs to. */
export function documentsBoundAs(bytes: Uint8Array, other: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  copy.set(other.subarray(8, 24), 8);
  const footer = copy.subarray(-32);
  footer.writeUInt32LE(crc32(footer.subarray(0, 24), crc32(copy.subarray(8, 24))), 24);
  return copy;
}
