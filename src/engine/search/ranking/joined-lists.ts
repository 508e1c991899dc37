import { nextSetBit } from "../../bytes/bitset.js";
import type { JoinedList, JoinedMarks } from "../../kernels/joined-memory.js";
import { HITS_MAX } from "../../kernels/scratch-layout.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { SegmentReader } from "../../segment/segment-reader.js";
import { BestDocuments, placeOf } from "../collectors/best-documents.js";
import type { JoinedMatches } from "../collectors/joined-orders.js";
import { evaluateWindows } from "../evaluators/evaluate-windows.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { lowestBit } from "../evaluators/window-bits.js";
import { WindowPool } from "../evaluators/window-pool.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { NO_FACETS, type RankedResult } from "../search-types.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import type { JoinedListsOwner, JoinedListsPlace } from "./joined-lists-place.js";
import { type Markable, markSegment } from "./joined-marks.js";

/**
 * When lists are joined; in snapshots of at least so many documents, as each memory takes address space. Tests ask less
 * often, and of fewer documents.
 */
export const joiningPace: {
  /** Of what was asked for so often, … */
  usesMin: number;
  /**
   * … and, of what takes time to join, once searches for it have looked at so many postings for each of its documents:
   * then they have taken about as long as joining it will, so that whatever comes later, both together take a few times
   * as long at most as what would have been best (the ski rental problem; Karlin et al. 1988).
   */
  workPerDoc: number;
  /** Of what takes room only, once more for so many documents. */
  docsPerUse: number;
  /** Each time within so many asks for anything: what is asked for more rarely would be joined over and over again. */
  asksBetween: number;
  snapshotDocsMin: number;
  /** Joining more documents would take longer than a search may be held up: about a millisecond. */
  listDocsMax: number;
  /** The same of what takes hardly longer to join than to search: some milliseconds, most of which are the search's. */
  repaidDocsMax: number;
} = {
  usesMin: 3,
  workPerDoc: 8,
  docsPerUse: 512,
  asksBetween: 256,
  snapshotDocsMin: 4096,
  listDocsMax: 65_536,
  repaidDocsMax: 262_144,
};
/** Documents of a snapshot whose lists are joined at most: bits of more take too long to clear. */
const SNAPSHOT_DOCS_MAX = 1 << 24;
/** Documents that are joined in the time that a list takes in any case. */
const DOCS_PER_LIST = 1000;
/** Bits that take the room of a document with its score. */
const MARKS_PER_DOC = 64;
/** Segments' first documents are multiples of it. */
const GROUP_DOCS = 512;

/** What a list can be joined of: a term, a typo-tolerant word, a phrase. */
export interface Joinable {
  /** What is known of its joined list from search to search. */
  readonly joined: Joined;
  /** Tells its documents and scores from others that have the same `joined`: only those asked for last are joined. */
  readonly weight: number | string;
  /** How many of a term's documents are joined in the time that one takes. */
  readonly joiningCost: number;
  /**
   * Whether joining takes hardly longer than a search without the list. Then how long ago it was asked for doesn't
   * matter, nor how long searches took, but what room the list takes: that many documents more, another use.
   */
  readonly isSoonRepaid: boolean;
  /**
   * Documents of a segment, at most.
   *
   * @throws FindlingError `search_timeout`
   */
  docsMaxIn(statistics: SegmentStatistics, interrupt: SearchInterrupt): number;
  /**
   * Adds a segment's live documents with their scores, f32.
   *
   * @throws FindlingError `search_timeout`
   */
  appendTo(docs: JoinedDocs, statistics: SegmentStatistics, interrupt: SearchInterrupt): void;
}

/** How often something was asked for, and its list once that is joined. */
export class Joined {
  uses = 0;
  /** Postings that searches without the list have looked at, or what takes as long. */
  work = 0;
  /** `JoinedListsPlace.ask` of the last use without a list. */
  askedAt = 0;
  list: JoinedList | null = null;
  /** Documents of all segments, at most; -1: not counted yet. */
  docsMax = -1;
  /** Documents that there were when they were found in vain, since a list of so many wants more uses; else 0. */
  found = 0;
  /** Whether kernels have refused it: joining it again would take as long, and be as useless. */
  isRefused = false;
  /** `Joinable.weight` of whom all of that is; no number: nobody's yet. */
  weight: number | string = Number.NaN;

  beginWith(weight: number | string): void {
    this.uses = 0;
    this.work = 0;
    this.list = null;
    this.docsMax = -1;
    this.found = 0;
    this.isRefused = false;
    this.weight = weight;
  }
}

/** Documents that are being joined. */
export class JoinedDocs {
  readonly docs: Uint32Array;
  readonly scores: Float32Array;
  count = 0;
  /** Number of the first document of the segment at hand. */
  start = 0;

  constructor(docs: Uint32Array, scores: Float32Array) {
    this.docs = docs;
    this.scores = scores;
  }
}

/**
 * Lists of terms and words over all segments of a snapshot, without deleted documents: documents are numbered in a row, and
 * scored. Those that are asked for time and again are ranked by them in one step, as in one segment that nothing was
 * deleted of. Of a single segment they spare decoding and scoring.
 */
export class JoinedLists implements JoinedListsOwner {
  readonly number: number;
  readonly maxDoc: number;
  /** By segment, the number of its first document. */
  readonly starts: readonly number[];
  readonly #segments: readonly SegmentStatistics[];
  readonly #place: JoinedListsPlace;
  /** What the search at hand has no lists of, and others before it had none of either. */
  readonly #missing: Joined[] = [];

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
    // Without the gaps between segments, which make many of many tiny ones.
    const docs = segments.reduce((sum, { segment }) => sum + segment.maxDoc, 0);
    if (docs < joiningPace.snapshotDocsMin) return null;
    const joined = new JoinedLists(segments, place);
    return joined.maxDoc > SNAPSHOT_DOCS_MAX ? null : joined;
  }

  /** What ranks the lists that there are. */
  get kernels(): SegmentKernels {
    return this.#place.memoryFor(this)!.kernels;
  }

  /**
   * What kernels have found, to be asked for once, before they are used again.
   *
   * @param hitCount how many hits there are in their memory
   */
  resultOf(count: number, hitCount: number): RankedResult {
    const { starts } = this;
    const { hitDocs, hitScores } = this.kernels;
    this.#place.ask();
    // Plain arrays, as typed ones cost more to make than most searches.
    const places: number[] = [];
    const scores: number[] = [];
    for (let rank = 0; rank < hitCount; rank++) {
      const doc = hitDocs[rank]!;
      let segment = starts.length - 1;
      while (starts[segment]! > doc) segment--;
      places.push(placeOf(segment, doc - starts[segment]!));
      scores.push(hitScores[rank]!);
    }
    return { count, hits: new BestDocuments(places, scores), facets: NO_FACETS };
  }

  /** A list; null if it isn't joined. What was asked for before in the same search may not be kept any more. */
  of({ joined, weight }: Joinable): JoinedList | null {
    const { list } = joined;
    return list?.isKept === true && joined.weight === weight ? list : null;
  }

  /** A list, which may be joined for it; null if it isn't worth it. @throws FindlingError `search_timeout` */
  listOf(wanted: Joinable, interrupt: SearchInterrupt): JoinedList | null {
    const list = this.of(wanted);
    if (list !== null) return list;
    this.#forgetMissing();
    if (!this.#isWorthJoining(wanted, interrupt)) return null;
    this.#forgetMissing();
    this.#join(wanted, interrupt);
    return this.of(wanted);
  }

  /**
   * Whether there are lists of all, which may be joined for it: of all that have none, as they are of no use without
   * each other.
   *
   * @throws FindlingError `search_timeout`
   */
  haveLists(wanted: readonly Joinable[], interrupt: SearchInterrupt): boolean {
    let areThere = true;
    let areWorthJoining = true;
    this.#forgetMissing();
    for (let i = 0; i < wanted.length; i++) {
      if (this.of(wanted[i]!) !== null) continue;
      areThere = false;
      if (!this.#isWorthJoining(wanted[i]!, interrupt)) areWorthJoining = false;
    }
    if (areThere) return true;
    if (!areWorthJoining) return false;
    this.#forgetMissing();
    for (let i = 0; i < wanted.length; i++) {
      if (this.of(wanted[i]!) === null) this.#join(wanted[i]!, interrupt);
    }
    // Room for one may have been another's.
    for (let i = 0; i < wanted.length; i++) if (this.of(wanted[i]!) === null) return false;
    return true;
  }

  /** To be called once for each search: the one before may have been ended before it told what it took. */
  beginSearch(): void {
    this.#forgetMissing();
  }

  /** V8 calls its runtime to set a length, even where it stays what it was, which takes a tenth of a microsecond. */
  #forgetMissing(): void {
    if (this.#missing.length > 0) this.#missing.length = 0;
  }

  /** Whether `spend` is to be told of the search at hand. */
  get isCounting(): boolean {
    return this.#missing.length > 0;
  }

  /** Notes how long a search took for want of lists. @param work postings that it has looked at, or what takes as long */
  spend(work: number): void {
    const missing = this.#missing;
    for (let i = 0; i < missing.length; i++) missing[i]!.work += work;
    this.#forgetMissing();
  }

  /**
   * Documents without their scores: a list's that is joined and has bits, or joined like a filter's, which take a
   * small part of a list's room. Null if they aren't.
   *
   * @throws FindlingError `search_timeout`
   */
  matchesOf(wanted: Joinable & Markable, interrupt: SearchInterrupt): JoinedMatches | null {
    const list = this.of(wanted);
    if (list === null || list.denseBits === 0) return this.marksOf(wanted, interrupt);
    this.#place.ask();
    return { count: list.count, bits: this.kernels.bitsets.at(list.denseBits) };
  }

  /**
   * The documents of a filter; null if they aren't joined. Joins them if it was asked for so often: that takes what
   * going through the segments does.
   *
   * @throws FindlingError `search_timeout`
   */
  marksOf(filter: Markable, interrupt: SearchInterrupt): JoinedMarks | null {
    const { marked } = filter;
    if (marked.marks?.isKept === true) return marked.marks;
    if (++marked.uses < joiningPace.usesMin + this.maxDoc / (MARKS_PER_DOC * joiningPace.docsPerUse))
      return null;
    marked.uses = 0;
    const memory = this.#place.memoryFor(this);
    if (memory === null) return null;
    marked.marks = memory.addMarks((bits) => {
      for (let index = 0; index < this.#segments.length; index++) {
        interrupt.check();
        markSegment(bits, this.starts[index]!, filter, this.#segments[index]!, interrupt);
      }
    });
    return marked.marks;
  }

  /** The first documents of a filter, which all score the same; null where none are wanted, or too many. */
  firstOf(
    { bits, count }: JoinedMarks,
    score: number,
    limit: number,
    withCount: boolean,
  ): RankedResult | null {
    if (limit === 0 || limit > HITS_MAX) return null;
    const { hitDocs, hitScores } = this.kernels;
    let hitCount = 0;
    for (let doc = nextSetBit(bits, 0); doc >= 0 && hitCount < limit; doc = nextSetBit(bits, doc + 1)) {
      hitDocs[hitCount] = doc;
      hitScores[hitCount++] = score;
    }
    return this.resultOf(withCount ? count : 0, hitCount);
  }

  /** Notes that something without a list was asked for. */
  #isWorthJoining(wanted: Joinable, interrupt: SearchInterrupt): boolean {
    const { joined, joiningCost, isSoonRepaid, weight } = wanted;
    if (joined.weight !== weight) joined.beginWith(weight);
    const ask = this.#place.ask();
    if (!isSoonRepaid && ask - joined.askedAt > joiningPace.asksBetween) {
      joined.uses = 0;
      joined.work = 0;
    }
    joined.askedAt = ask;
    const uses = ++joined.uses;
    // Most are asked for once, and what such a search takes isn't even asked.
    if (uses > 1) this.#missing.push(joined);
    if (joined.isRefused || uses < joiningPace.usesMin) return false;
    if (joined.docsMax < 0) joined.docsMax = this.#docsMaxOf(wanted, interrupt);
    const cost = joined.docsMax * joiningCost;
    if (isSoonRepaid) return cost <= joiningPace.repaidDocsMax && uses >= usesFor(joined.found);
    return cost <= joiningPace.listDocsMax && joined.work >= (cost + DOCS_PER_LIST) * joiningPace.workPerDoc;
  }

  #join(wanted: Joinable, interrupt: SearchInterrupt): void {
    const { joined, isSoonRepaid } = wanted;
    const { uses } = joined;
    joined.uses = 0;
    joined.work = 0;
    const memory = this.#place.memoryFor(this);
    if (memory === null) return;
    // Beside the memory first, as they may be far fewer than there are at most.
    const found = new JoinedDocs(new Uint32Array(joined.docsMax), new Float32Array(joined.docsMax));
    this.#fill(wanted, found, interrupt);
    if (isSoonRepaid && uses < usesFor(found.count)) {
      joined.uses = uses;
      joined.found = found.count;
      return;
    }
    joined.list = memory.add(found.count, this.maxDoc, (docs, scores) => {
      docs.set(found.docs.subarray(0, found.count));
      scores.set(found.scores.subarray(0, found.count));
      return found.count;
    });
    joined.isRefused = joined.list === null;
  }

  #docsMaxOf(wanted: Joinable, interrupt: SearchInterrupt): number {
    let docsMax = 0;
    for (const segment of this.#segments) docsMax += wanted.docsMaxIn(segment, interrupt);
    return docsMax;
  }

  #fill(wanted: Joinable, joined: JoinedDocs, interrupt: SearchInterrupt): void {
    for (let index = 0; index < this.#segments.length; index++) {
      interrupt.check();
      joined.start = this.starts[index]!;
      wanted.appendTo(joined, this.#segments[index]!, interrupt);
    }
  }
}

/** Uses until a list of so many documents is worth its room. */
function usesFor(docs: number): number {
  return joiningPace.usesMin + docs / joiningPace.docsPerUse;
}

/** `Joinable.appendTo` of whatever an evaluator finds. */
export function appendMatches(
  joined: JoinedDocs,
  evaluator: Evaluator,
  segment: SegmentReader,
  interrupt: SearchInterrupt,
): void {
  const { docs, scores: joinedScores, start } = joined;
  evaluateWindows(evaluator, segment, new WindowPool(interrupt), true, {
    collect(windowStart, matches, scores) {
      for (let word = 0; word < matches.length; word++) {
        for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
          const offset = (word << 5) + lowestBit(rest);
          docs[joined.count] = start + windowStart + offset;
          joinedScores[joined.count++] = scores![offset]!;
        }
      }
    },
  });
}
