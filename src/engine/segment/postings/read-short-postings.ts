import { onlyFreq } from "../../kernels/only-freq.js";
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
  const { freq, next } = onlyFreq(positionData, positionReference);
  docs[0] = reference;
  freqs[0] = freq;
  return next;
}
