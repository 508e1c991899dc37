import { testBit } from "../../bytes/bitset.js";
import { ScratchExhaustedError } from "../../kernels/image-memory.js";
import { SegmentKernels } from "../../kernels/segment-kernels.js";
import { MARKED_POSITIONS } from "../../kernels/term-bits.js";
import type { FieldTerms, PostingCursor, SegmentReader } from "../../segment/segment-reader.js";
import type { SearchInterrupt } from "../search-interrupt.js";

/** Terms whose postings are gone through between two looks at the clock. */
const TERMS_PER_CHECK = 16;
/** The bitset of the kernels that documents are marked in; whoever ranks afterwards overwrites it. */
const MARKED = 0;
const DOC_BYTES = 4;
const MARK_BYTES = 8;

/**
 * In how many live documents of a segment each of some terms stands so far behind any of others, as far as the first 64
 * positions of the field tell; by term.
 *
 * @param before ordinals, as are `terms`
 * @param gap positions, 1 to 31
 * @throws FindlingError `search_timeout`
 */
export function countFollowerDocs(
  segment: SegmentReader,
  field: FieldTerms,
  before: readonly number[],
  terms: readonly number[],
  gap: number,
  interrupt: SearchInterrupt,
): Uint32Array {
  if (before.length === 0 || terms.length === 0) return new Uint32Array(terms.length);
  return (
    countInKernels(segment, field, before, terms, gap, interrupt) ??
    countByCursors(segment, field, before, terms, gap, interrupt)
  );
}

/** Null where there are no kernels, or no room for so many documents. */
function countInKernels(
  { image, liveDocs }: SegmentReader,
  field: FieldTerms,
  before: readonly number[],
  terms: readonly number[],
  gap: number,
  interrupt: SearchInterrupt,
): Uint32Array | null {
  const kernels = image === null ? null : SegmentKernels.over(image);
  if (kernels === null) return null;
  try {
    const { bitsets, functions, layout, scored, termBits } = kernels;
    const { bitsetBytes } = layout;
    const placesOf = (ordinals: readonly number[]) => ordinals.map((ordinal) => field.placeOf(ordinal));
    const places = placesOf(before);
    const bits = bitsets.addressOf(MARKED);
    interrupt.check();
    functions.clearBits(bits, bitsetBytes);
    termBits.or(bits, field.image!, places);
    if (liveDocs !== null) functions.andBits(bits, bitsets.ofLive(liveDocs), bitsetBytes);
    const count = functions.countBits(bits, bitsetBytes);
    scored.begin();
    const docs = scored.reserveBytes(count * DOC_BYTES);
    const marks = scored.reserveBytes(count * MARK_BYTES);
    if (docs === null || marks === null) return null;
    functions.docsOfBits(bits, bitsetBytes, docs, count);
    scored.words(marks, (count * MARK_BYTES) / DOC_BYTES).fill(0);
    termBits.orPositions(marks, docs, count, field.image!, places);
    interrupt.check();
    return termBits.countFollowers(marks, docs, count, field.image!, placesOf(terms), gap);
  } catch (error) {
    if (error instanceof ScratchExhaustedError) return null;
    throw error;
  }
}

function countByCursors(
  { liveDocs }: SegmentReader,
  field: FieldTerms,
  before: readonly number[],
  terms: readonly number[],
  gap: number,
  interrupt: SearchInterrupt,
): Uint32Array {
  const marks = new Map<number, bigint>();
  before.forEach((ordinal, i) => {
    if ((i & (TERMS_PER_CHECK - 1)) === 0) interrupt.check();
    for (const [docId, bits] of positionsOf(field.postings(ordinal)))
      if (liveDocs === null || testBit(liveDocs, docId)) marks.set(docId, (marks.get(docId) ?? 0n) | bits);
  });
  return Uint32Array.from(terms, (ordinal, i) => {
    if ((i & (TERMS_PER_CHECK - 1)) === 0) interrupt.check();
    let count = 0;
    for (const [docId, bits] of positionsOf(field.postings(ordinal)))
      if ((((marks.get(docId) ?? 0n) << BigInt(gap)) & bits) !== 0n) count++;
    return count;
  });
}

/** Each document's first 64 positions, as bits. */
function* positionsOf(cursor: PostingCursor): Generator<readonly [docId: number, bits: bigint]> {
  for (let block = 0; block < cursor.blockCount; block++) {
    cursor.loadBlock(block);
    cursor.loadFreqs();
    for (let i = 0; i < cursor.length; i++) {
      const positions = new Uint32Array(cursor.freqs[i]!);
      cursor.positions(i, positions);
      let bits = 0n;
      for (const position of positions) if (position < MARKED_POSITIONS) bits |= 1n << BigInt(position);
      yield [cursor.docs[i]!, bits];
    }
  }
}
