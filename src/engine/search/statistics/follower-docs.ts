import { testBit } from "../../bytes/bitset.js";
import { ScratchExhaustedError } from "../../kernels/image-memory.js";
import { SegmentKernels } from "../../kernels/segment-kernels.js";
import { MARKED_POSITIONS } from "../../kernels/term-bits.js";
import type { FieldTerms, PostingCursor, SegmentReader } from "../../segment/segment-reader.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { markLiveDocs } from "./mark-live-docs.js";

/** Terms whose postings are gone through between two looks at the clock. */
const TERMS_PER_CHECK = 16;
const DOC_BYTES = 4;
const MARK_BYTES = 8;

/** Terms of one field of a segment, and those behind which they are looked for. */
export interface FollowerTerms {
  readonly segment: SegmentReader;
  readonly field: FieldTerms;
  /** Ordinals, as are `terms`. */
  readonly before: readonly number[];
  readonly terms: readonly number[];
  /** Positions from the one to the other, 1 to 31. */
  readonly gap: number;
}

/**
 * In how many live documents each of the terms stands so far behind any of those before, as far as the first 64
 * positions of the field tell; by term.
 *
 * @throws FindlingError `search_timeout`
 */
export function countFollowerDocs(counted: FollowerTerms, interrupt: SearchInterrupt): Uint32Array {
  const { before, terms } = counted;
  if (before.length === 0 || terms.length === 0) return new Uint32Array(terms.length);
  return countInKernels(counted, interrupt) ?? countByCursors(counted, interrupt);
}

/** Null where there are no kernels, or no room for so many documents. */
function countInKernels(
  { segment, field, before, terms, gap }: FollowerTerms,
  interrupt: SearchInterrupt,
): Uint32Array | null {
  const kernels = segment.image === null ? null : SegmentKernels.over(segment.image);
  if (kernels === null) return null;
  try {
    const { functions, layout, scored, termBits } = kernels;
    const placesOf = (ordinals: readonly number[]) => ordinals.map((ordinal) => field.placeOf(ordinal));
    interrupt.check();
    const { bits, count } = markLiveDocs(kernels, segment, field, before);
    scored.begin();
    const docs = scored.reserveBytes(count * DOC_BYTES);
    const marks = scored.reserveBytes(count * MARK_BYTES);
    if (docs === null || marks === null) return null;
    functions.docsOfBits(bits, layout.bitsetBytes, docs, count);
    scored.words(marks, (count * MARK_BYTES) / DOC_BYTES).fill(0);
    termBits.orPositions(marks, docs, count, field.image!, placesOf(before));
    interrupt.check();
    return termBits.countFollowers(marks, docs, count, field.image!, placesOf(terms), gap);
  } catch (error) {
    if (error instanceof ScratchExhaustedError) return null;
    throw error;
  }
}

function countByCursors(
  { segment: { liveDocs }, field, before, terms, gap }: FollowerTerms,
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
