/** A single document's frequency, a varint in front of its positions, and where these start. */
export function onlyFreq(bytes: Uint8Array, at: number): { readonly freq: number; readonly next: number } {
  let next = at;
  let byte = bytes[next++]!;
  let freq = byte & 0x7f;
  for (let shift = 7; byte > 0x7f; shift += 7) {
    byte = bytes[next++]!;
    freq |= (byte & 0x7f) << shift;
  }
  return { freq, next };
}
