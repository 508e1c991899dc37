/**
 * `length` zero bytes shared between threads, starting at offset 0 of a buffer that is as long or up
 * to 63 bytes longer, so that typed arrays of any width can view them to the end.
 */
export function sharedBytes(length: number): Uint8Array<SharedArrayBuffer> {
  return new Uint8Array(new SharedArrayBuffer(Math.max(64, Math.ceil(length / 64) * 64)), 0, length);
}
