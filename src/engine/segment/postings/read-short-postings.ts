import type { PostingSections } from "./posting-sections.js";
import { readVarintPostings } from "./varint-postings.js";

/**
 * Decodes a list of fewer than 128 documents into the first entries of `docs` and `freqs`.
 *
 * @returns the byte of the position data where its positions begin
 */
export function readShortPostings(
  { data, positionData }: PostingSections,
  docFreq: number,
  reference: number,
  positionReference: number,
  docs: Uint32Array,
  freqs: Uint32Array,
): number {
  if (docFreq > 1) {
    readVarintPostings(data, reference, -1, docFreq, docs, freqs);
    return positionReference;
  }
  // A single document stands in place of the reference, its frequency before its positions.
  let positionOffset = positionReference;
  let byte = positionData[positionOffset++]!;
  let freq = byte & 0x7f;
  for (let shift = 7; byte > 0x7f; shift += 7) {
    byte = positionData[positionOffset++]!;
    freq |= (byte & 0x7f) << shift;
  }
  docs[0] = reference;
  freqs[0] = freq;
  return positionOffset;
}
