import type { DocId } from "../../schema/document.js";
import type { WindowBits, WindowScores } from "../evaluators/evaluator.js";
import { lowestBit } from "../evaluators/window-bits.js";

export interface ScoredDocument {
  readonly segmentIndex: number;
  readonly docId: DocId;
  readonly score: number;
}

const INITIAL_CAPACITY = 64;

/**
 * Keeps the best k documents: by score descending, then in insertion order. A binary heap with the
 * worst one on top. Documents come in insertion order, so one that only equals the worst never
 * displaces it.
 */
export class TopDocuments {
  readonly #limit: number;
  #length = 0;
  #scores: Float32Array = new Float32Array(0);
  #segmentIndexes: Uint32Array = new Uint32Array(0);
  #docIds: Uint32Array = new Uint32Array(0);

  /** @param limit k; memory grows with what is kept */
  constructor(limit: number) {
    this.#limit = limit;
    this.#grow(Math.min(limit, INITIAL_CAPACITY));
  }

  /** Takes a window's matches; windows and segments ascend from call to call. */
  collect(segmentIndex: number, windowStart: DocId, matches: WindowBits, scores: WindowScores): void {
    if (this.#limit === 0) return;
    for (let word = 0; word < matches.length; word++) {
      let rest = matches[word]!;
      while (rest !== 0) {
        const offset = (word << 5) + lowestBit(rest);
        const score = scores[offset]!;
        if (this.#length < this.#limit) this.#push(segmentIndex, windowStart + offset, score);
        else if (score > this.#scores[0]!) this.#replaceWorst(segmentIndex, windowStart + offset, score);
        rest &= rest - 1;
      }
    }
  }

  /** What was kept, best first. */
  sorted(): ScoredDocument[] {
    const documents: ScoredDocument[] = [];
    for (let i = 0; i < this.#length; i++) {
      documents.push({
        segmentIndex: this.#segmentIndexes[i]!,
        docId: this.#docIds[i]!,
        score: this.#scores[i]!,
      });
    }
    return documents.sort(
      (a, b) => b.score - a.score || a.segmentIndex - b.segmentIndex || a.docId - b.docId,
    );
  }

  #push(segmentIndex: number, docId: DocId, score: number): void {
    if (this.#length === this.#scores.length) this.#grow(Math.min(this.#limit, this.#length * 2));
    let hole = this.#length++;
    while (hole > 0) {
      const parent = (hole - 1) >>> 1;
      if (!this.#isWorse(segmentIndex, docId, score, parent)) break;
      this.#move(parent, hole);
      hole = parent;
    }
    this.#set(hole, segmentIndex, docId, score);
  }

  #replaceWorst(segmentIndex: number, docId: DocId, score: number): void {
    const length = this.#length;
    let hole = 0;
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

  #grow(capacity: number): void {
    const scores = new Float32Array(capacity);
    const segmentIndexes = new Uint32Array(capacity);
    const docIds = new Uint32Array(capacity);
    scores.set(this.#scores);
    segmentIndexes.set(this.#segmentIndexes);
    docIds.set(this.#docIds);
    this.#scores = scores;
    this.#segmentIndexes = segmentIndexes;
    this.#docIds = docIds;
  }
}
