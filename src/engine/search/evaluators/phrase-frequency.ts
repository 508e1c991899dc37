import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import type { PositionSource } from "./position-sources.js";

/** Positions looked at between two looks at the clock. */
const POSITIONS_PER_CHECK = 1 << 16;

/** One token of a phrase: where it stands in documents and its place in the phrase. */
export interface PhraseToken {
  readonly source: PositionSource;
  /** Positions after the phrase's first token, at least 0. */
  readonly offset: number;
}

/**
 * Counts how often a phrase occurs in the document that the tokens' sources stand at.
 *
 * A match is a choice of one position per token, no two the same, such that the displacements
 * (position minus offset) differ by at most `slop`. The frequency is the number of different least
 * displacements over all matches: with slop 0 the number of places where the phrase starts, with
 * slop the number of places from which a match can begin, however many ways there are to go on.
 */
export class PhraseFrequency {
  readonly #tokens: readonly PhraseToken[];
  readonly #slop: number;
  readonly #interrupt: SearchInterrupt;
  /** Positions to look at until the interrupt is asked next. */
  #left = POSITIONS_PER_CHECK;
  /** By token: with slop 0 the next position to look at, else the position chosen. */
  readonly #cursors: Float64Array;
  #displacements: Float64Array = new Float64Array(64);

  /** @param tokens by ascending offset; a token that stands for several terms last */
  constructor(tokens: readonly PhraseToken[], slop: number, interrupt: SearchInterrupt = NO_INTERRUPT) {
    this.#tokens = tokens;
    this.#slop = slop;
    this.#interrupt = interrupt;
    this.#cursors = new Float64Array(tokens.length);
  }

  /** @throws FindlingError `search_timeout` */
  count(): number {
    for (let i = 0; i < this.#tokens.length; i++) this.#pace(this.#tokens[i]!.source.length);
    return this.#slop === 0 ? this.#countExact() : this.#countSloppy();
  }

  /** @param positions that are looked at */
  #pace(positions: number): void {
    this.#left -= positions;
    if (this.#left > 0) return;
    this.#left = POSITIONS_PER_CHECK;
    this.#interrupt.check();
  }

  #countExact(): number {
    const tokens = this.#tokens;
    const cursors = this.#cursors.fill(0);
    let rarest = 0;
    for (let i = 1; i < tokens.length; i++) {
      if (tokens[i]!.source.length < tokens[rarest]!.source.length) rarest = i;
    }
    const lead = tokens[rarest]!;
    let count = 0;
    for (let at = 0; at < lead.source.length; at++) {
      const start = lead.source.positions[at]! - lead.offset;
      let found = true;
      let i = 0;
      for (; i < tokens.length && found; i++) {
        const { source, offset } = tokens[i]!;
        const wanted = start + offset;
        let cursor = cursors[i]!;
        while (cursor < source.length && source.positions[cursor]! < wanted) cursor++;
        cursors[i] = cursor;
        found = cursor < source.length && source.positions[cursor] === wanted;
      }
      if (found) count++;
      this.#pace(i);
    }
    return count;
  }

  #countSloppy(): number {
    const count = this.#collectDisplacements();
    let frequency = 0;
    for (let i = 0; i < count; i++) {
      const least = this.#displacements[i]!;
      if ((i === 0 || least !== this.#displacements[i - 1]) && this.#matchesFrom(least)) frequency++;
    }
    return frequency;
  }

  /** Fills `#displacements` with those of all tokens, ascending; returns how many. */
  #collectDisplacements(): number {
    let count = 0;
    for (let i = 0; i < this.#tokens.length; i++) count += this.#tokens[i]!.source.length;
    if (count > this.#displacements.length) this.#displacements = new Float64Array(count * 2);
    let next = 0;
    for (let i = 0; i < this.#tokens.length; i++) {
      const { source, offset } = this.#tokens[i]!;
      for (let at = 0; at < source.length; at++) this.#displacements[next++] = source.positions[at]! - offset;
    }
    this.#displacements.subarray(0, count).sort();
    return count;
  }

  /** Whether some match has exactly this least displacement: one of its tokens must have it. */
  #matchesFrom(least: number): boolean {
    this.#pace(this.#tokens.length);
    for (let i = 0; i < this.#tokens.length; i++) {
      const { source, offset } = this.#tokens[i]!;
      const at = lowerBound(source, least + offset);
      if (at < source.length && source.positions[at] === least + offset && this.#completes(least, i))
        return true;
    }
    return false;
  }

  /**
   * Whether the other tokens find positions once one token has the least displacement. Each takes
   * the first free one. That is enough: tokens of equal terms have windows that begin and end in the
   * order of their offsets, so the first to end takes the first position (earliest deadline first);
   * tokens of different terms never want the same position, except the last if it is a prefix, and
   * its window ends last.
   */
  #completes(least: number, fixed: number): boolean {
    const tokens = this.#tokens;
    const chosen = this.#cursors;
    const fixedPosition = least + tokens[fixed]!.offset;
    this.#pace(tokens.length);
    for (let i = 0; i < tokens.length; i++) {
      if (i === fixed) {
        chosen[i] = fixedPosition;
        continue;
      }
      const { source, offset } = tokens[i]!;
      const last = least + offset + this.#slop;
      let at = lowerBound(source, least + offset);
      while (at < source.length && this.#isTaken(source.positions[at]!, i, fixedPosition)) at++;
      if (at === source.length || source.positions[at]! > last) return false;
      chosen[i] = source.positions[at]!;
    }
    return true;
  }

  #isTaken(position: number, tokenCount: number, fixedPosition: number): boolean {
    if (position === fixedPosition) return true;
    this.#pace(tokenCount);
    for (let i = 0; i < tokenCount; i++) {
      if (this.#cursors[i] === position) return true;
    }
    return false;
  }
}

/** Index of the first position at or after the wanted one; `length` if there is none. */
function lowerBound(source: PositionSource, wanted: number): number {
  let low = 0;
  let high = source.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (source.positions[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
