/**
 * Decodes postings written as varints: per document `gap << 1 | (freq = 1)`, then the frequency if it
 * isn't 1. `previousDoc` is the document before the first, -1 at the start of a list.
 */
export function readVarintPostings(
  bytes: Uint8Array,
  offset: number,
  previousDoc: number,
  count: number,
  docs: Uint32Array,
  freqs: Uint32Array,
): void {
  let at = offset;
  let docId = previousDoc;
  for (let i = 0; i < count; i++) {
    let byte = bytes[at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++]!;
      value |= (byte & 0x7f) << shift;
    }
    docId += value >>> 1;
    docs[i] = docId;
    if ((value & 1) === 1) {
      freqs[i] = 1;
      continue;
    }
    byte = bytes[at++]!;
    value = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++]!;
      value |= (byte & 0x7f) << shift;
    }
    freqs[i] = value;
  }
}
