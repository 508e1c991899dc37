import { WINDOW_SIZE, WINDOW_WORDS, type WindowBits, type WindowScores } from "./evaluator.js";

/**
 * The buffers of one search, borrowed and given back in any order, so that nothing is allocated per
 * window once the deepest nesting has been reached.
 */
export class WindowPool {
  /** Postings of one term in one window, valid until the next gathering: offsets and frequencies. */
  readonly gatheredOffsets: Uint16Array = new Uint16Array(WINDOW_SIZE);
  readonly gatheredFreqs: Uint32Array = new Uint32Array(WINDOW_SIZE);
  readonly #bits: WindowBits[] = [];
  readonly #scores: WindowScores[] = [];

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
