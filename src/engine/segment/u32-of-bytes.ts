/** The bytes as numbers, in place; they start at a multiple of 4 in their buffer. */
export function u32OfBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength >>> 2);
}
