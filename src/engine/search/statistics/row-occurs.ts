import { testBit } from "../../bytes/bitset.js";
import type { FieldTerms, PostingCursor, SegmentReader } from "../../segment/segment-reader.js";
import { beginningRange, type OrdinalRange } from "../automaton/prefix-range.js";
import type { WordRow } from "../query.js";
import type { SearchInterrupt } from "../search-interrupt.js";

const encoder = new TextEncoder();

/** Documents that are looked at between two looks at the clock. */
const DOCS_PER_CHECK = 1024;

/**
 * Whether any live document of a segment holds a row of terms in a field. Takes a walk through the lists of all where none
 * does.
 *
 * @throws FindlingError `search_timeout`
 */
export function rowOccurs(
  segment: SegmentReader,
  field: string,
  { terms: row, lastIsPrefix }: WordRow,
  interrupt: SearchInterrupt,
): boolean {
  const terms = segment.terms(field);
  const last = row.at(-1);
  if (terms === null || last === undefined) return false;
  const range = rangeOf(terms, last, lastIsPrefix);
  if (row.length === 1)
    return someOrdinal(range, (ordinal) => hasLiveDoc(terms.postings(ordinal), segment, interrupt));
  const before = row.slice(0, -1).map((term) => terms.ordinalOf(encoder.encode(term)));
  if (before.some((ordinal) => ordinal < 0)) return false;
  return someOrdinal(range, (ordinal) =>
    standSideBySide(
      [...before, ordinal].map((one) => terms.postings(one)),
      segment,
      interrupt,
    ),
  );
}

function rangeOf(terms: FieldTerms, term: string, isPrefix: boolean): OrdinalRange {
  if (isPrefix) return beginningRange(terms, terms.termCount, term);
  const ordinal = terms.ordinalOf(encoder.encode(term));
  return ordinal < 0 ? { first: 0, end: 0 } : { first: ordinal, end: ordinal + 1 };
}

function someOrdinal({ first, end }: OrdinalRange, isMeant: (ordinal: number) => boolean): boolean {
  for (let ordinal = first; ordinal < end; ordinal++) if (isMeant(ordinal)) return true;
  return false;
}

function hasLiveDoc(cursor: PostingCursor, { liveDocs }: SegmentReader, interrupt: SearchInterrupt): boolean {
  for (let block = 0; block < cursor.blockCount; block++) {
    if (liveDocs === null) return true;
    interrupt.check();
    cursor.loadBlock(block);
    for (let i = 0; i < cursor.length; i++) if (testBit(liveDocs, cursor.docs[i]!)) return true;
  }
  return false;
}

function standSideBySide(
  cursors: readonly PostingCursor[],
  { liveDocs }: SegmentReader,
  interrupt: SearchInterrupt,
): boolean {
  const walks = cursors.map((cursor) => new PositionWalk(cursor));
  let docId = 0;
  for (let steps = 0; ; steps++) {
    if ((steps & (DOCS_PER_CHECK - 1)) === 0) interrupt.check();
    let isInAll = true;
    for (const [i, walk] of walks.entries()) {
      const reached = walk.reach(docId);
      if (reached < 0) return false;
      if (reached === docId) continue;
      docId = reached;
      isInAll = i === 0;
    }
    if (!isInAll) continue;
    if ((liveDocs === null || testBit(liveDocs, docId)) && areInARow(walks)) return true;
    docId++;
  }
}

/** Whether terms stand one behind the other anywhere in the document that all have reached. */
function areInARow(walks: readonly PositionWalk[]): boolean {
  const [first, ...others] = walks.map((walk) => walk.positions());
  const places = others.map((positions) => new Set(positions));
  return first!.some((position) => places.every((positions, i) => positions.has(position + i + 1)));
}

/** Goes through the documents of one term. */
class PositionWalk {
  readonly #cursor: PostingCursor;
  #at = 0;
  #positions: Uint32Array = new Uint32Array(16);

  constructor(cursor: PostingCursor) {
    this.#cursor = cursor;
  }

  /** The first document at or after one; −1 if there is none. Documents ascend from call to call. */
  reach(docId: number): number {
    const cursor = this.#cursor;
    if (cursor.block < 0 || cursor.lastDoc(cursor.block) < docId) {
      const block = cursor.seekBlock(docId);
      if (block >= cursor.blockCount) return -1;
      cursor.loadBlock(block);
      cursor.loadFreqs();
      this.#at = 0;
    }
    while (cursor.docs[this.#at]! < docId) this.#at++;
    return cursor.docs[this.#at]!;
  }

  /** Where the term stands in the document reached, ascending. */
  positions(): Uint32Array {
    const freq = this.#cursor.freqs[this.#at]!;
    if (freq > this.#positions.length) this.#positions = new Uint32Array(2 * freq);
    return this.#positions.subarray(0, this.#cursor.positions(this.#at, this.#positions));
  }
}
