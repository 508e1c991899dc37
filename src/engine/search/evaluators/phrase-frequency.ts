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
  /** By token: the next of its positions to look at, as an index. */
  readonly #cursors: Uint32Array;
  /** By token, with slop: the position chosen, as an index. */
  readonly #chosen: Uint32Array;
  /** By token: the one before it with the same source; -1 if there is none. */
  readonly #previous: Int32Array;

  /** @param tokens by ascending offset; a token that stands for several terms last */
  constructor(tokens: readonly PhraseToken[], slop: number, interrupt: SearchInterrupt = NO_INTERRUPT) {
    this.#tokens = tokens;
    this.#slop = slop;
    this.#interrupt = interrupt;
    this.#cursors = new Uint32Array(tokens.length);
    this.#chosen = new Uint32Array(tokens.length);
    const latest = new Map<PositionSource, number>();
    this.#previous = Int32Array.from(tokens, ({ source }, i) => {
      const previous = latest.get(source) ?? -1;
      latest.set(source, i);
      return previous;
    });
  }

  /** @throws FindlingError `search_timeout` */
  count(): number {
    // They were decoded, each source's once.
    for (let i = 0; i < this.#tokens.length; i++) {
      if (this.#previous[i]! < 0) this.#pace(this.#tokens[i]!.source.length);
    }
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
      let looked = 0;
      for (let i = 0; i < tokens.length && found; i++) {
        const { source, offset } = tokens[i]!;
        const wanted = start + offset;
        let cursor = cursors[i]!;
        while (cursor < source.length && source.positions[cursor]! < wanted) cursor++;
        looked += cursor - cursors[i]! + 1;
        cursors[i] = cursor;
        if (looked >= POSITIONS_PER_CHECK) {
          this.#pace(looked);
          looked = 0;
        }
        found = cursor < source.length && source.positions[cursor] === wanted;
      }
      if (found) count++;
      this.#pace(looked);
    }
    return count;
  }

  /**
   * Goes through the displacements of all tokens by ascending size, with a cursor for each token: a list of them all
   * would be as long as the document for each of the tokens.
   */
  #countSloppy(): number {
    const tokens = this.#tokens;
    const cursors = this.#cursors.fill(0);
    let frequency = 0;
    for (;;) {
      // Looked at for the least, for where a match may begin, and to go on.
      this.#pace(3 * tokens.length);
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < tokens.length; i++) {
        const { source, offset } = tokens[i]!;
        const cursor = cursors[i]!;
        // All of its positions are before any match that is still to come.
        if (cursor === source.length) return frequency;
        least = Math.min(least, source.positions[cursor]! - offset);
      }
      if (this.#matchesFrom(least)) frequency++;
      for (let i = 0; i < tokens.length; i++) {
        const { source, offset } = tokens[i]!;
        let cursor = cursors[i]!;
        while (cursor < source.length && source.positions[cursor]! - offset === least) cursor++;
        cursors[i] = cursor;
      }
    }
  }

  /**
   * Whether some match has exactly this least displacement: one of its tokens must have it. The cursors are at the
   * tokens' first positions that are displaced so far or farther.
   */
  #matchesFrom(least: number): boolean {
    for (let i = 0; i < this.#tokens.length; i++) {
      const { source, offset } = this.#tokens[i]!;
      if (source.positions[this.#cursors[i]!]! - offset === least && this.#completes(least, i)) return true;
    }
    return false;
  }

  /**
   * Whether the other tokens find positions once one token has the least displacement. Each takes
   * the first free one. That is enough: tokens of equal terms have windows that begin and end in the
   * order of their offsets, so the first to end takes the first position (earliest deadline first);
   * tokens of different terms never want the same position, except the last if it is a prefix, and
   * its window ends last. Tokens of equal terms so take ascending positions: what is free for one of
   * them comes after what the one before it took.
   */
  #completes(least: number, fixed: number): boolean {
    const tokens = this.#tokens;
    const chosen = this.#chosen;
    const fixedPosition = least + tokens[fixed]!.offset;
    this.#pace(tokens.length);
    chosen[fixed] = this.#cursors[fixed]!;
    for (let i = 0; i < tokens.length; i++) {
      if (i === fixed) continue;
      const { source, offset } = tokens[i]!;
      let previous = this.#previous[i]!;
      if (previous === fixed) previous = this.#previous[fixed]!;
      let at = this.#cursors[i]!;
      if (previous >= 0) at = Math.max(at, chosen[previous]! + 1);
      while (at < source.length && this.#isTaken(source.positions[at]!, i, fixedPosition)) at++;
      if (at === source.length || source.positions[at]! > least + offset + this.#slop) return false;
      chosen[i] = at;
    }
    return true;
  }

  /** @param token to take the position, which none before it with the same source took, unless the fixed one did */
  #isTaken(position: number, token: number, fixedPosition: number): boolean {
    if (position === fixedPosition) return true;
    // Only the last may stand for terms of others.
    if (token < this.#tokens.length - 1) return false;
    this.#pace(token);
    for (let i = 0; i < token; i++) {
      if (this.#tokens[i]!.source.positions[this.#chosen[i]!] === position) return true;
    }
    return false;
  }
}
