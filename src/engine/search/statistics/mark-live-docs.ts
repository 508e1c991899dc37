import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { FieldTerms, SegmentReader } from "../../segment/segment-reader.js";

/** The bitset of the kernels that documents are marked in; whoever ranks afterwards overwrites it. */
const MARKED = 0;

export interface MarkedDocs {
  /** Address of the bits. */
  readonly bits: number;
  readonly count: number;
}

/**
 * Marks the live documents that hold any of a field's terms.
 *
 * @param terms of the segment, with an image
 * @throws ScratchExhaustedError
 */
export function markLiveDocs(
  { bitsets, functions, layout: { bitsetBytes }, termBits }: SegmentKernels,
  { liveDocs }: SegmentReader,
  terms: FieldTerms,
  ordinals: ArrayLike<number>,
): MarkedDocs {
  const bits = bitsets.addressOf(MARKED);
  functions.clearBits(bits, bitsetBytes);
  termBits.or(
    bits,
    terms.image!,
    Array.from(ordinals, (ordinal) => terms.placeOf(ordinal)),
  );
  if (liveDocs !== null) functions.andBits(bits, bitsets.ofLive(liveDocs), bitsetBytes);
  return { bits, count: functions.countBits(bits, bitsetBytes) };
}
