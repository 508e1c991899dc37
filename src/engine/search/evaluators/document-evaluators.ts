import { countBits, nextSetBit } from "../../bytes/bitset.js";
import { firstAtOrAfter } from "../../bytes/first-at-or-after.js";
import { type DocId, NO_MORE_DOCS } from "../../schema/document.js";
import type { DocBits } from "../../segment/segment-reader.js";
import { type Evaluator, WINDOW_SIZE, type WindowBits, type WindowScores } from "./evaluator.js";
import { copyWindow, lowestBit } from "./window-bits.js";
import { addConstant } from "./window-scores.js";

/** Every document of the segment; scores 1. */
export class AllDocumentsEvaluator implements Evaluator {
  readonly cost: number;

  /** @param maxDoc the segment's doc ids issued */
  constructor(maxDoc: number) {
    this.cost = maxDoc;
  }

  nextMatchBound(docId: DocId): DocId {
    return docId < this.cost ? docId : NO_MORE_DOCS;
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    if (candidates !== null) {
      matches.set(candidates);
    } else {
      const length = Math.max(0, Math.min(WINDOW_SIZE, this.cost - windowStart));
      const fullWords = length >>> 5;
      matches.fill(-1, 0, fullWords);
      matches.fill(0, fullWords);
      if ((length & 31) !== 0) matches[fullWords] = (1 << (length & 31)) - 1;
    }
    if (scores !== null) addConstant(matches, 1, scores);
  }
}

/** The documents of a bitset over the whole segment; each scores 1. */
export class DocBitsEvaluator implements Evaluator {
  readonly cost: number;
  readonly #docs: DocBits;

  /** @param count of bits that are set */
  constructor(docs: DocBits, count: number) {
    this.cost = count;
    this.#docs = docs;
  }

  nextMatchBound(docId: DocId): DocId {
    const next = nextSetBit(this.#docs, docId);
    return next < 0 ? NO_MORE_DOCS : next;
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    copyWindow(this.#docs, windowStart, candidates, matches);
    if (scores !== null) addConstant(matches, 1, scores);
  }
}

/** The documents of an ascending list without duplicates; each scores 1. */
export class DocListEvaluator implements Evaluator {
  readonly cost: number;
  readonly #docs: Uint32Array;
  /** Entries before it are behind every later call. */
  #next = 0;

  constructor(docs: Uint32Array) {
    this.cost = docs.length;
    this.#docs = docs;
  }

  nextMatchBound(docId: DocId): DocId {
    const index = firstAtOrAfter(this.#docs, this.#next, docId);
    return index === this.#docs.length ? NO_MORE_DOCS : this.#docs[index]!;
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    const docs = this.#docs;
    const windowEnd = windowStart + WINDOW_SIZE;
    matches.fill(0);
    let index = firstAtOrAfter(docs, this.#next, windowStart);
    for (; index < docs.length; index++) {
      const docId = docs[index]!;
      if (docId >= windowEnd) break;
      const offset = docId - windowStart;
      if (candidates !== null && ((candidates[offset >>> 5]! >>> (offset & 31)) & 1) === 0) continue;
      matches[offset >>> 5]! |= 1 << (offset & 31);
      if (scores !== null) scores[offset] = scores[offset]! + 1;
    }
    this.#next = index;
  }
}

/** The documents of a bitset over the whole segment, kept as a list where that is smaller; each scores 1. */
export function docsEvaluator(docs: DocBits): Evaluator {
  const count = countBits(docs);
  if (count >= docs.length) return new DocBitsEvaluator(docs, count);
  const list = new Uint32Array(count);
  let docId = -1;
  for (let i = 0; i < count; i++) {
    docId = nextSetBit(docs, docId + 1);
    list[i] = docId;
  }
  return new DocListEvaluator(list);
}

/** Documents of which a number per document lies in a range; each scores 1. Needs no memory of its own. */
export class NumberRangeEvaluator implements Evaluator {
  readonly cost: number;
  readonly #numbers: Uint8Array | Uint16Array | Uint32Array;
  readonly #first: number;
  readonly #span: number;
  readonly #maxDoc: number;

  /**
   * @param numbers one per doc id
   * @param range from `first` to before `end`
   * @param cost upper bound on the matches
   */
  constructor(
    numbers: Uint8Array | Uint16Array | Uint32Array,
    range: { readonly first: number; readonly end: number },
    maxDoc: number,
    cost: number,
  ) {
    this.cost = cost;
    this.#numbers = numbers;
    this.#first = range.first;
    this.#span = range.end - range.first;
    this.#maxDoc = maxDoc;
  }

  nextMatchBound(docId: DocId): DocId {
    return docId < this.#maxDoc ? docId : NO_MORE_DOCS;
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    if (candidates === null) this.#scan(windowStart, matches);
    else this.#test(windowStart, candidates, matches);
    if (scores !== null) addConstant(matches, 1, scores);
  }

  #scan(windowStart: DocId, matches: WindowBits): void {
    const numbers = this.#numbers;
    const first = this.#first;
    const span = this.#span;
    const end = Math.min(windowStart + WINDOW_SIZE, this.#maxDoc);
    matches.fill(0);
    for (let docId = windowStart; docId < end; docId++) {
      // Unsigned difference: numbers below the range wrap around to far above it.
      if ((numbers[docId]! - first) >>> 0 < span) matches[(docId - windowStart) >>> 5]! |= 1 << (docId & 31);
    }
  }

  #test(windowStart: DocId, candidates: WindowBits, matches: WindowBits): void {
    const numbers = this.#numbers;
    const first = this.#first;
    const span = this.#span;
    for (let word = 0; word < candidates.length; word++) {
      let rest = candidates[word]!;
      let found = 0;
      while (rest !== 0) {
        const docId = windowStart + (word << 5) + lowestBit(rest);
        if ((numbers[docId]! - first) >>> 0 < span) found |= 1 << (docId & 31);
        rest &= rest - 1;
      }
      matches[word] = found;
    }
  }
}
