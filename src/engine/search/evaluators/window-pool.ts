import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import { WINDOW_SIZE, WINDOW_WORDS, type WindowBits, type WindowScores } from "./evaluator.js";
import { HeldRoom } from "./held-room.js";
import { OccurrenceList } from "./occurrence-list.js";

/** Clauses that are evaluated in one window between two looks at the clock; a power of two. */
const CLAUSES_PER_CHECK = 16;

/** The buffer of positions for gathering them; sources have those from there on. */
export const GATHERING_BUFFER = 0;

/** Positions of a document that their buffer is made larger for than it needs to be. */
const ROOMY_POSITIONS_MAX = 1 << 16;

/**
 * The buffers of one search, borrowed and given back in any order, so that nothing is allocated per
 * window once the deepest nesting has been reached. It reaches everything that walks a segment, so what
 * may end the search is here too.
 */
export class WindowPool {
  readonly interrupt: SearchInterrupt;
  #gatheredOffsets: Uint16Array | null = null;
  #gatheredFreqs: Uint32Array | null = null;
  /** What evaluators keep from window to window. */
  readonly room: HeldRoom = new HeldRoom();
  #clauses = 0;
  #occurrences: OccurrenceList | null = null;
  readonly #positions: Uint32Array[] = [];
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

  /**
   * To be called before each of several clauses is evaluated in a window, or its evaluator made: a query may have
   * thousands, of which none takes long enough to ask by itself.
   *
   * @throws FindlingError `search_timeout`
   */
  beginClause(): void {
    this.#clauses = (this.#clauses + 1) & (CLAUSES_PER_CHECK - 1);
    if (this.#clauses === 0) this.interrupt.check();
  }

  /** Occurrences while they are gathered. */
  get occurrences(): OccurrenceList {
    this.#occurrences ??= new OccurrenceList();
    return this.#occurrences;
  }

  /** For positions of one document, so many at least, valid while the one phrase is evaluated that asks for it. */
  positionBuffer(number: number, length: number): Uint32Array {
    while (this.#positions.length <= number) this.#positions.push(new Uint32Array(16));
    const buffer = this.#positions[number]!;
    if (length <= buffer.length) return buffer;
    const larger = new Uint32Array(length < ROOMY_POSITIONS_MAX ? length * 2 : length);
    this.#positions[number] = larger;
    return larger;
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
