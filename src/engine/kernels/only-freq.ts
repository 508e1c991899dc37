import type { PostingImage, PostingPlace } from "./posting-image.js";

/** A single document's frequency, a varint before its positions, and where these start. */
export function onlyFreq(
  memory: Uint8Array,
  { positionData }: PostingImage,
  { positionReference }: PostingPlace,
): { readonly freq: number; readonly next: number } {
  let next = positionReference;
  let byte = memory[positionData + next++]!;
  let freq = byte & 0x7f;
  for (let shift = 7; byte > 0x7f; shift += 7) {
    byte = memory[positionData + next++]!;
    freq |= (byte & 0x7f) << shift;
  }
  return { freq, next };
}
