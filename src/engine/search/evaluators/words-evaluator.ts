import { orInto } from "../../bytes/bitset.js";
import { type DocId, NO_MORE_DOCS } from "../../schema/document.js";
import { NOT_HELD, tierScore, type WordCover } from "../similarity/word-cover.js";
import type { Evaluator, WindowBits, WindowScores } from "./evaluator.js";
import type { Nearness } from "./nearness.js";
import { lowestBit } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";

/** What some of the words may stand for, in one segment. */
export interface EvaluatedReading {
  /** Null: nothing in the segment matches. */
  readonly evaluator: Evaluator | null;
  readonly scores: boolean;
  /** Its number among the cover's readings; -1: it only scores. */
  readonly covers: number;
  /** Slips of a document that it scores. */
  slipsOf(score: number): number;
}

/** Documents that hold some words of a query; those that hold all of them score a tier on top. */
export class WordsEvaluator implements Evaluator {
  readonly cost: number;
  readonly #readings: readonly EvaluatedReading[];
  readonly #cover: WordCover;
  readonly #unit: number;
  readonly #needsAll: boolean;
  readonly #nearness: Nearness | null;
  readonly #pool: WindowPool;

  /** @param needsAll whether only those match that hold all words */
  constructor(
    readings: readonly EvaluatedReading[],
    cover: WordCover,
    unit: number,
    needsAll: boolean,
    nearness: Nearness | null,
    pool: WindowPool,
  ) {
    this.cost = readings.reduce(
      (sum, { evaluator, scores }) => sum + (scores ? (evaluator?.cost ?? 0) : 0),
      0,
    );
    this.#readings = readings;
    this.#cover = cover;
    this.#unit = unit;
    this.#needsAll = needsAll;
    this.#nearness = nearness;
    this.#pool = pool;
  }

  nextMatchBound(docId: DocId): DocId {
    let bound = NO_MORE_DOCS;
    for (const { evaluator, scores } of this.#readings) {
      if (scores && evaluator !== null) bound = Math.min(bound, evaluator.nextMatchBound(docId));
    }
    return bound;
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    if (scores === null && !this.#needsAll) {
      this.#match(windowStart, candidates, matches);
      return;
    }
    const pool = this.#pool;
    const found = this.#readings.map(() => pool.borrowBits().fill(0));
    const own = this.#readings.map(() => pool.borrowScores());
    matches.fill(0);
    this.#readings.forEach(({ evaluator, scores: isScored }, i) => {
      pool.beginClause();
      evaluator?.evaluate(windowStart, candidates, found[i]!, own[i]!);
      if (isScored) orInto(matches, found[i]!);
    });
    this.#addScores(windowStart, matches, found, own, scores);
    for (const bits of found) pool.returnBits(bits);
    for (const each of own) pool.returnScores(each);
  }

  #match(windowStart: DocId, candidates: WindowBits | null, matches: WindowBits): void {
    const found = this.#pool.borrowBits();
    matches.fill(0);
    for (const { evaluator, scores } of this.#readings) {
      if (!scores || evaluator === null) continue;
      evaluator.evaluate(windowStart, candidates, found, null);
      orInto(matches, found);
    }
    this.#pool.returnBits(found);
  }

  #addScores(
    windowStart: DocId,
    matches: WindowBits,
    found: readonly WindowBits[],
    own: readonly WindowScores[],
    scores: WindowScores | null,
  ): void {
    const slips = new Uint8Array(this.#cover.readings.length);
    const near: number[] = [];
    const nearScores: number[] = [];
    for (let word = 0; word < matches.length; word++) {
      for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
        const bit = lowestBit(rest);
        const offset = (word << 5) + bit;
        slips.fill(NOT_HELD);
        let sum = 0;
        for (let i = 0; i < this.#readings.length; i++) {
          if (((found[i]![word]! >>> bit) & 1) === 0) continue;
          const { covers, scores: isScored, slipsOf } = this.#readings[i]!;
          const score = own[i]![offset]!;
          if (covers >= 0) slips[covers] = slipsOf(score);
          if (!isScored || scores === null) continue;
          if (this.#needsAll) sum = Math.fround(sum + score);
          else scores[offset]! += score;
        }
        const fewest = this.#cover.decides ? this.#cover.slipsOf(slips) : -1;
        if (this.#needsAll && fewest < 0) matches[word]! &= ~(1 << bit);
        if (fewest < 0 || scores === null) continue;
        const total = Math.fround(sum + tierScore(this.#unit, fewest));
        if (fewest === 0 && this.#nearness !== null) {
          near.push(windowStart + offset);
          nearScores.push(total);
        } else scores[offset]! += total;
      }
    }
    if (this.#nearness === null || scores === null) return;
    const totals = Float32Array.from(nearScores);
    this.#nearness.addTo(Uint32Array.from(near), totals);
    for (let i = 0; i < near.length; i++) scores[near[i]! - windowStart]! += totals[i]!;
  }
}
