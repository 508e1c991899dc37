import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import { WINDOW_SIZE, WINDOW_WORDS, type WindowBits, type WindowScores } from "./evaluator.js";

/**
 * The buffers of one search, borrowed and given back in any order, so that nothing is allocated per
 * window once the deepest nesting has been reached. It reaches everything that walks a segment, so what
 * may end the search is here too.
 */
export class WindowPool {
  readonly interrupt: SearchInterrupt;
  #gatheredOffsets: Uint16Array | null = null;
  #gatheredFreqs: Uint32Array | null = null;
  readonly #bits: WindowBits[] = [];
  readonly #scores: WindowScores[] = [];

  constructor(interrupt: SearchInterrupt = NO_INTERRUPT) {
    this.interrupt = interrupt;
  }

  /** Offsets of one term's postings in one window, valid until the next gathering. */
  get gatheredOffsets(): Uint16Array {
    this.#gatheredOffsets ??= new Uint16Array(WINDOW_SIZE);
    return this.#gatheredOffsets;
  }

  /** Frequencies of the same postings. */
  get gatheredFreqs(): Uint32Array {
    this.#gatheredFreqs ??= new Uint32Array(WINDOW_SIZE);
    return this.#gatheredFreqs;
  }

  /** Content undefined: evaluators overwrite it. */
  borrowBits(): WindowBits {
    return this.#bits.pop() ?? new Uint32Array(WINDOW_WORDS);
  }

  returnBits(bits: WindowBits): void {
    this.#bits.push(bits);
  }

  /** All zero. */
  borrowScores(): WindowScores {
    return this.#scores.pop() ?? new Float32Array(WINDOW_SIZE);
  }

  returnScores(scores: WindowScores): void {
    scores.fill(0);
    this.#scores.push(scores);
  }
}
