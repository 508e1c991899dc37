import type { DocId } from "../../schema/document.js";
import type { WindowBits, WindowScores } from "../evaluators/evaluator.js";
import { lowestBit } from "../evaluators/window-bits.js";
import type { RankedHits } from "../search-types.js";
import { BestDocuments, placeOf } from "./best-documents.js";

/**
 * Keeps the best k documents: by score descending, then in insertion order; 16 bytes each. Documents
 * come in insertion order, so one that only equals the worst never displaces it. Once k are kept they
 * are a binary heap with the worst one on top.
 */
export class TopDocuments {
  readonly #limit: number;
  #length = 0;
  #isHeap = false;
  /** Whether they are best first. */
  #isOrdered = false;
  // Plain arrays, as typed ones cost more to make than most searches.
  readonly #scores: number[] = [];
  /** By `placeOf`. */
  readonly #places: number[] = [];

  /** @param limit k; memory grows with what is kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes a window's matches; windows and segments ascend from call to call. Not to be called after `ranked`. */
  collect(segmentIndex: number, windowStart: DocId, matches: WindowBits, scores: WindowScores): void {
    if (this.#limit === 0) return;
    for (let word = 0; word < matches.length; word++) {
      for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
        const offset = (word << 5) + lowestBit(rest);
        const score = scores[offset]!;
        this.#take(placeOf(segmentIndex, windowStart + offset), score);
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

  /** Takes a segment's best documents, best first; segments ascend from call to call. Not to be called after `ranked`. */
  add(segmentIndex: number, docIds: Uint32Array, scores: Float32Array, count: number): void {
    if (this.#length === 0 && count <= this.#limit) {
      for (let i = 0; i < count; i++) this.#set(i, placeOf(segmentIndex, docIds[i]!), scores[i]!);
      this.#length = count;
      this.#isHeap = false;
      this.#isOrdered = true;
      return;
    }
    for (let i = 0; i < count; i++) this.#take(placeOf(segmentIndex, docIds[i]!), scores[i]!);
  }

  /** What is kept, best first. Ends the collecting. */
  ranked(): RankedHits {
    this.#sort();
    return new BestDocuments(this.#places, this.#scores);
  }

  #sort(): void {
    if (this.#isOrdered || (!this.#isHeap && this.#isSorted())) return;
    this.#makeHeap();
    for (let end = this.#length - 1; end > 0; end--) {
      const place = this.#places[end]!;
      const score = this.#scores[end]!;
      this.#move(0, end);
      this.#sink(0, end, place, score);
    }
  }

  /** Documents that are no better than the worst are left out once there are enough. */
  #take(place: number, score: number): void {
    if (this.#length < this.#limit) {
      this.#set(this.#length++, place, score);
      this.#isHeap = false;
      this.#isOrdered = false;
      return;
    }
    this.#makeHeap();
    if (!this.#isWorse(place, score, 0)) this.#sink(0, this.#length, place, score);
  }

  #makeHeap(): void {
    if (this.#isHeap) return;
    this.#isHeap = true;
    this.#isOrdered = false;
    for (let hole = (this.#length >>> 1) - 1; hole >= 0; hole--) {
      this.#sink(hole, this.#length, this.#places[hole]!, this.#scores[hole]!);
    }
  }

  /** Lets a document sink from a hole to where it belongs in the heap of the first `length`. */
  #sink(from: number, length: number, place: number, score: number): void {
    let hole = from;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#isWorseAt(child + 1, child)) child++;
      if (this.#isWorse(place, score, child)) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#set(hole, place, score);
  }

  #isSorted(): boolean {
    for (let at = 1; at < this.#length; at++) {
      if (this.#isWorseAt(at - 1, at)) return false;
    }
    return true;
  }

  /** Whether a document ranks behind one that is kept. */
  #isWorse(place: number, score: number, at: number): boolean {
    const other = this.#scores[at]!;
    return score !== other ? score < other : place > this.#places[at]!;
  }

  #isWorseAt(at: number, other: number): boolean {
    return this.#isWorse(this.#places[at]!, this.#scores[at]!, other);
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#places[from]!, this.#scores[from]!);
  }

  #set(at: number, place: number, score: number): void {
    this.#scores[at] = score;
    this.#places[at] = place;
  }
}
