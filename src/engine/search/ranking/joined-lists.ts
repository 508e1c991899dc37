import { testBit } from "../../bytes/bitset.js";
import type { JoinedList } from "../../kernels/joined-memory.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { KnownTerm, SegmentStatistics } from "../statistics/segment-statistics.js";
import type { JoinedListsOwner, JoinedListsPlace } from "./joined-lists-place.js";
import { WEIGHT_MIN } from "./plan-lists.js";

/**
 * Lists are joined for terms that were asked for so often, and once more for so many documents; in snapshots of at
 * least so many documents, as each memory takes address space. Tests ask less often, and of fewer documents.
 */
export const joiningPace: { usesMin: number; docsPerUse: number; snapshotDocsMin: number } = {
  usesMin: 3,
  docsPerUse: 256,
  snapshotDocsMin: 4096,
};
/** Joining more documents than these would take longer than a search may be held up: about a millisecond. */
const LIST_DOCS_MAX = 65_536;
/** Documents of a snapshot whose lists are joined at most: bits of more take too long to clear. */
const SNAPSHOT_DOCS_MAX = 1 << 24;
/** Segments' first documents are multiples of it. */
const GROUP_DOCS = 512;

/** A term that lists can be joined of; remembered from search to search. */
export interface JoinableTerm {
  readonly similarity: Bm25Similarity;
  /** What is known of its joined list. */
  readonly joined: JoinedTerm;
  /** Where a segment has it; null if it hasn't. */
  in(segment: SegmentStatistics): KnownTerm | null;
}

/** How often a term was asked for, and its list once that is joined. */
export class JoinedTerm {
  uses = 0;
  list: JoinedList | null = null;
  /** Documents of all segments that hold it, deleted ones included; -1: not counted yet. */
  docsMax = -1;
  /** What the list's scores were multiplied with; no number while there is none. */
  weight: number = Number.NaN;
}

/**
 * Lists of terms over all segments of a snapshot, without deleted documents: documents are numbered in a row, and
 * scored. Terms that are asked for time and again are ranked by them in one step, as in one segment that nothing was
 * deleted of. Of a single segment they spare decoding and scoring.
 */
export class JoinedLists implements JoinedListsOwner {
  readonly number: number;
  readonly maxDoc: number;
  /** By segment, the number of its first document. */
  readonly starts: readonly number[];
  readonly #segments: readonly SegmentStatistics[];
  readonly #place: JoinedListsPlace;

  private constructor(segments: readonly SegmentStatistics[], place: JoinedListsPlace) {
    const starts: number[] = [];
    let next = 0;
    for (const { segment } of segments) {
      starts.push(next);
      next += Math.ceil(segment.maxDoc / GROUP_DOCS) * GROUP_DOCS;
    }
    this.starts = starts;
    this.maxDoc = next;
    this.number = place.next();
    this.#segments = segments;
    this.#place = place;
  }

  /** Null where there are too few documents to gain anything, or too many. */
  static of(segments: readonly SegmentStatistics[], place: JoinedListsPlace): JoinedLists | null {
    const joined = new JoinedLists(segments, place);
    const { maxDoc } = joined;
    return maxDoc < joiningPace.snapshotDocsMin || maxDoc > SNAPSHOT_DOCS_MAX ? null : joined;
  }

  /** What ranks the lists that there are. */
  get kernels(): SegmentKernels {
    return this.#place.memoryFor(this)!.kernels;
  }

  /**
   * A term's list; null if it isn't joined. What was asked for before in the same search may not be kept any more.
   *
   * @param weight what the term's scores are multiplied with, f32
   */
  of({ joined }: JoinableTerm, weight: number): JoinedList | null {
    const { list } = joined;
    return list?.isKept === true && joined.weight === weight ? list : null;
  }

  /** Notes that a term without a list was asked for; joins it if that is worth it. */
  note(term: JoinableTerm, weight: number, check: () => void): void {
    const { joined } = term;
    if (joined.docsMax < 0) joined.docsMax = this.#docsMaxOf(term);
    const { usesMin, docsPerUse } = joiningPace;
    if (++joined.uses < usesMin + joined.docsMax / docsPerUse) return;
    if (joined.docsMax > LIST_DOCS_MAX || !(weight > WEIGHT_MIN)) return;
    joined.uses = 0;
    const memory = this.#place.memoryFor(this);
    if (memory === null) return;
    joined.weight = weight;
    joined.list = memory.add(joined.docsMax, (docs, scores) => this.#fill(term, weight, docs, scores, check));
  }

  #docsMaxOf(term: JoinableTerm): number {
    let docsMax = 0;
    for (const segment of this.#segments) docsMax += term.in(segment)?.place.docFreq ?? 0;
    return docsMax;
  }

  #fill(
    term: JoinableTerm,
    weight: number,
    docs: Uint32Array,
    scores: Float32Array,
    check: () => void,
  ): number {
    let count = 0;
    for (let index = 0; index < this.#segments.length; index++) {
      check();
      const statistics = this.#segments[index]!;
      const known = term.in(statistics);
      if (known !== null) {
        const room = { docs, scores, count, start: this.starts[index]! };
        count = append(room, known, statistics.segment.liveDocs, weight, term.similarity);
      }
    }
    return count;
  }
}

/** Writes a segment's live documents of a term with their scores; returns how many there are then. */
function append(
  room: {
    readonly docs: Uint32Array;
    readonly scores: Float32Array;
    readonly count: number;
    readonly start: number;
  },
  { terms, ordinal }: KnownTerm,
  liveDocs: Uint32Array | null,
  weight: number,
  { lengthNorms }: Bm25Similarity,
): number {
  const { docs, scores, start } = room;
  let { count } = room;
  const { norms } = terms;
  const cursor = terms.postings(ordinal);
  for (let block = 0; block < cursor.blockCount; block++) {
    cursor.loadBlock(block);
    cursor.loadFreqs();
    const { docs: blockDocs, freqs, length } = cursor;
    for (let i = 0; i < length; i++) {
      const docId = blockDocs[i]!;
      if (liveDocs !== null && !testBit(liveDocs, docId)) continue;
      const freq = Math.fround(freqs[i]!);
      const saturation = Math.fround(freq / Math.fround(freq + lengthNorms[norms[docId]!]!));
      docs[count] = start + docId;
      scores[count++] = Math.fround(weight * saturation);
    }
  }
  return count;
}
