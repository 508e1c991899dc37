import type { DocId } from "../../schema/document.js";
import type { WindowBits, WindowScores } from "../evaluators/evaluator.js";
import { lowestBit } from "../evaluators/window-bits.js";
import type { RankedHit, RankedHits } from "../search-types.js";

/**
 * Keeps the best k documents: by score descending, then in insertion order; 24 bytes each. Documents
 * come in insertion order, so one that only equals the worst never displaces it. Once k are kept they
 * are a binary heap with the worst one on top; `sort` puts them in order.
 */
export class TopDocuments implements RankedHits {
  readonly #limit: number;
  #length = 0;
  #isHeap = false;
  /** Whether they are best first. */
  #isOrdered = false;
  // Plain arrays, as typed ones cost more to make than most searches.
  readonly #scores: number[] = [];
  readonly #segmentIndexes: number[] = [];
  readonly #docIds: number[] = [];

  /** @param limit k; memory grows with what is kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  get held(): number {
    return this.#length;
  }

  /** Takes a window's matches; windows and segments ascend from call to call. Not to be called after `sort`. */
  collect(segmentIndex: number, windowStart: DocId, matches: WindowBits, scores: WindowScores): void {
    if (this.#limit === 0) return;
    for (let word = 0; word < matches.length; word++) {
      let rest = matches[word]!;
      while (rest !== 0) {
        const offset = (word << 5) + lowestBit(rest);
        const score = scores[offset]!;
        if (this.#length < this.#limit) this.#append(segmentIndex, windowStart + offset, score);
        else this.#replaceWorst(segmentIndex, windowStart + offset, score);
        rest &= rest - 1;
      }
    }
  }

  /** A score that further documents must exceed; -1 while any is taken. */
  get leastScore(): number {
    if (this.#limit === 0) return Number.POSITIVE_INFINITY;
    if (this.#length < this.#limit) return -1;
    if (this.#isOrdered) return this.#scores[this.#limit - 1]!;
    this.#makeHeap();
    return this.#scores[0]!;
  }

  /** Takes a segment's best documents, best first; segments ascend from call to call. Not to be called after `sort`. */
  add(segmentIndex: number, docIds: Uint32Array, scores: Float32Array, count: number): void {
    if (this.#length === 0 && count <= this.#limit) {
      for (let i = 0; i < count; i++) this.#set(i, segmentIndex, docIds[i]!, scores[i]!);
      this.#length = count;
      this.#isHeap = false;
      this.#isOrdered = true;
      return;
    }
    if (this.#isOrdered) {
      this.#merge(segmentIndex, docIds, scores, count);
      return;
    }
    for (let i = 0; i < count; i++) {
      if (this.#length < this.#limit) this.#append(segmentIndex, docIds[i]!, scores[i]!);
      else this.#replaceWorst(segmentIndex, docIds[i]!, scores[i]!);
    }
  }

  /** What is kept and what comes are both best first, and what is kept comes first where scores are equal. */
  #merge(segmentIndex: number, docIds: Uint32Array, scores: Float32Array, count: number): void {
    const length = Math.min(this.#limit, this.#length + count);
    let kept = 0;
    let taken = 0;
    while (kept + taken < length) {
      if (taken === count || (kept < this.#length && this.#scores[kept]! >= scores[taken]!)) kept++;
      else taken++;
    }
    // From behind, so that nothing is overwritten before it has moved; places are filled one after the other first.
    for (let place = this.#length; place < length; place++) this.#set(place, segmentIndex, 0, 0);
    this.#length = length;
    for (let place = length - 1; taken > 0; place--) {
      if (kept > 0 && this.#scores[kept - 1]! < scores[taken - 1]!) {
        this.#move(--kept, place);
      } else {
        taken--;
        this.#set(place, segmentIndex, docIds[taken]!, scores[taken]!);
      }
    }
  }

  /** Best first, in place. */
  sort(): void {
    if (this.#isOrdered || (!this.#isHeap && this.#isSorted())) return;
    this.#makeHeap();
    for (let end = this.#length - 1; end > 0; end--) {
      const segmentIndex = this.#segmentIndexes[end]!;
      const docId = this.#docIds[end]!;
      const score = this.#scores[end]!;
      this.#move(0, end);
      this.#place(0, end, segmentIndex, docId, score);
    }
  }

  at(place: number): RankedHit {
    return {
      segmentIndex: this.#segmentIndexes[place]!,
      docId: this.#docIds[place]!,
      score: this.#scores[place]!,
    };
  }

  /** Nothing but the score orders them. */
  sortKeys(place: number): readonly number[] {
    return [this.#scores[place]!];
  }

  #append(segmentIndex: number, docId: DocId, score: number): void {
    this.#set(this.#length++, segmentIndex, docId, score);
    this.#isHeap = false;
    this.#isOrdered = false;
  }

  /** Documents that are no better than the worst are left out. */
  #replaceWorst(segmentIndex: number, docId: DocId, score: number): void {
    this.#makeHeap();
    if (this.#isWorse(segmentIndex, docId, score, 0)) return;
    this.#place(0, this.#length, segmentIndex, docId, score);
  }

  #makeHeap(): void {
    if (this.#isHeap) return;
    this.#isHeap = true;
    this.#isOrdered = false;
    for (let hole = (this.#length >>> 1) - 1; hole >= 0; hole--) {
      this.#place(hole, this.#length, this.#segmentIndexes[hole]!, this.#docIds[hole]!, this.#scores[hole]!);
    }
  }

  /** Lets a document sink from a hole to where it belongs in the heap of the first `length` places. */
  #place(from: number, length: number, segmentIndex: number, docId: DocId, score: number): void {
    let hole = from;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#isWorseAt(child + 1, child)) child++;
      if (this.#isWorse(segmentIndex, docId, score, child)) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#set(hole, segmentIndex, docId, score);
  }

  #isSorted(): boolean {
    for (let place = 1; place < this.#length; place++) {
      if (this.#isWorseAt(place - 1, place)) return false;
    }
    return true;
  }

  /** Whether a document ranks behind the one at a place of the heap. */
  #isWorse(segmentIndex: number, docId: DocId, score: number, place: number): boolean {
    const other = this.#scores[place]!;
    if (score !== other) return score < other;
    const otherSegment = this.#segmentIndexes[place]!;
    return segmentIndex !== otherSegment ? segmentIndex > otherSegment : docId > this.#docIds[place]!;
  }

  #isWorseAt(place: number, other: number): boolean {
    return this.#isWorse(this.#segmentIndexes[place]!, this.#docIds[place]!, this.#scores[place]!, other);
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#segmentIndexes[from]!, this.#docIds[from]!, this.#scores[from]!);
  }

  #set(place: number, segmentIndex: number, docId: DocId, score: number): void {
    this.#scores[place] = score;
    this.#segmentIndexes[place] = segmentIndex;
    this.#docIds[place] = docId;
  }
}
