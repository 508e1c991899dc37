import type { FieldTerms, TermTrie, TermTries } from "../../segment/segment-reader.js";
import { type SearchInterrupt, STEPS_PER_CHECK } from "../search-interrupt.js";
import { decodeCodePoints, TERM_CODE_POINTS_MAX } from "./code-points.js";

/** Longest pattern whose states fit a 32-bit word, two bits of shift included. */
export const BIT_PARALLEL_PATTERN_MAX = 29;

const LEAF = 0x8000_0000;

/**
 * Finds all terms within an optimal string alignment distance of 1 or 2 of a pattern by walking the
 * terms' forward and backward tries.
 *
 * The automaton's states are bit vectors, one per number of errors: bit i of `errors1` says that i
 * code points of the pattern can have been consumed with one error. With B the mask of pattern places
 * that hold the next code point, and T the first halves of swaps:
 *
 *     R'e = ((Re & B) << 1) | R(e-1) | R(e-1) << 1 | R'(e-1) << 1 | (Te & B) << 2
 *     T'e = R(e-1) & (B >> 1)
 *
 * Errors near the start of a word prune badly, so each trie is walked with fewer of them. Let h be
 * half the pattern. The forward walk allows the last error only past place h. What it misses has all
 * its errors up to h and hence the rest exact: the backward walk over the reversed pattern, in which
 * errors are allowed from place length - h on. Together they are complete.
 *
 * Wu and Manber, "Fast Text Searching Allowing Errors", CACM 35(10), 1992; Mihov and Schulz, "Fast
 * Approximate Search in Large Dictionaries", Computational Linguistics 30(4), 2004.
 */
export class BitParallelTrieSearch {
  readonly #terms: FieldTerms;
  readonly #pattern: Uint32Array;
  readonly #maxDistance: 1 | 2;
  readonly #interrupt: SearchInterrupt;
  /** By term ordinal: the smallest distance found. */
  readonly #found: Map<number, number> = new Map();
  /** By label: pattern places that hold its code point. */
  readonly #labelMasks: Int32Array;
  readonly #asciiMasks: Int32Array = new Int32Array(128);
  readonly #tail: Uint32Array = new Uint32Array(TERM_CODE_POINTS_MAX + 1);
  // States by depth; entry d is the state after d code points.
  readonly #errors0: Int32Array = new Int32Array(TERM_CODE_POINTS_MAX + 2);
  readonly #errors1: Int32Array = new Int32Array(TERM_CODE_POINTS_MAX + 2);
  readonly #errors2: Int32Array = new Int32Array(TERM_CODE_POINTS_MAX + 2);
  readonly #swaps1: Int32Array = new Int32Array(TERM_CODE_POINTS_MAX + 2);
  readonly #swaps2: Int32Array = new Int32Array(TERM_CODE_POINTS_MAX + 2);
  #allowed1 = 0;
  #allowed2 = 0;
  #masksPattern: Uint32Array = new Uint32Array(0);

  /** @param pattern 1 to 29 code points */
  constructor(
    terms: FieldTerms,
    alphabet: Uint32Array,
    pattern: Uint32Array,
    maxDistance: 1 | 2,
    interrupt: SearchInterrupt,
  ) {
    this.#interrupt = interrupt;
    this.#terms = terms;
    this.#pattern = pattern;
    this.#maxDistance = maxDistance;
    this.#labelMasks = new Int32Array(alphabet.length + 1);
  }

  /** Term ordinals with their distances. @throws FindlingError `search_timeout` */
  search(tries: TermTries): ReadonlyMap<number, number> {
    const length = this.#pattern.length;
    const half = length >>> 1;
    const all = (2 << length) - 1;
    const pastHalf = all & ~((2 << half) - 1);
    const fromRest = all & ~((1 << (length - half)) - 1);

    this.#fillMasks(this.#pattern, tries.alphabet);
    this.#allowed1 = this.#maxDistance === 1 ? pastHalf : all;
    this.#allowed2 = this.#maxDistance === 1 ? 0 : pastHalf;
    this.#walk(tries.forward, false);

    this.#fillMasks(this.#pattern.toReversed(), tries.alphabet);
    this.#allowed1 = fromRest;
    this.#allowed2 = this.#maxDistance === 1 ? 0 : fromRest;
    this.#walk(tries.backward, true);
    return this.#found;
  }

  #fillMasks(pattern: Uint32Array, alphabet: Uint32Array): void {
    this.#masksPattern = pattern;
    this.#labelMasks.fill(0);
    this.#asciiMasks.fill(0);
    for (let place = 0; place < pattern.length; place++) {
      const codePoint = pattern[place]!;
      this.#labelMasks[alphabet.indexOf(codePoint) + 1]! |= 1 << place;
      if (codePoint < 128) this.#asciiMasks[codePoint]! |= 1 << place;
    }
    // Code points that no term has were counted at label 0, which is no code point.
    this.#labelMasks[0] = 0;
  }

  #walk(trie: TermTrie, reversed: boolean): void {
    const { labels, depths, values } = trie;
    const labelMasks = this.#labelMasks;
    this.#errors0[0] = 1;
    this.#errors1[0] = 2 & this.#allowed1;
    this.#errors2[0] = (this.#errors1[0]! << 1) & this.#allowed2;
    this.#swaps1[0] = 0;
    this.#swaps2[0] = 0;
    // Invariant: the states up to the node's depth are those of the path to its parent.
    let steps = 0;
    for (let node = 0; node < labels.length; ) {
      if ((++steps & (STEPS_PER_CHECK - 1)) === 0) this.#interrupt.check();
      const label = labels[node]!;
      const depth = depths[node]!;
      const value = values[node]!;
      if (label === 0) {
        this.#accept(value - LEAF, depth);
        node++;
      } else if (!this.#step(depth, labelMasks[label]!)) {
        node = value >= LEAF ? node + 1 : value;
      } else {
        if (value >= LEAF) this.#followTail(value - LEAF, depth + 1, reversed);
        node++;
      }
    }
  }

  /** Computes the state at `depth + 1`; false if it is dead. */
  #step(depth: number, mask: number): boolean {
    const errors0 = this.#errors0[depth]!;
    const errors1 = this.#errors1[depth]!;
    const next0 = (errors0 & mask) << 1;
    let next1 = ((errors1 & mask) << 1) | errors0 | (errors0 << 1) | (next0 << 1);
    next1 = (next1 | ((this.#swaps1[depth]! & mask) << 2)) & this.#allowed1;
    let next2 = ((this.#errors2[depth]! & mask) << 1) | errors1 | (errors1 << 1) | (next1 << 1);
    next2 = (next2 | ((this.#swaps2[depth]! & mask) << 2)) & this.#allowed2;
    const swaps1 = errors0 & (mask >> 1);
    const swaps2 = errors1 & (mask >> 1);
    this.#errors0[depth + 1] = next0;
    this.#errors1[depth + 1] = next1;
    this.#errors2[depth + 1] = next2;
    this.#swaps1[depth + 1] = swaps1;
    this.#swaps2[depth + 1] = swaps2;
    return (next0 | next1 | next2 | swaps1 | swaps2) !== 0;
  }

  /** Notes the term if the state after `depth` code points accepts. */
  #accept(ordinal: number, depth: number): void {
    const accepting = 1 << this.#pattern.length;
    let distance = 3;
    if ((this.#errors0[depth]! & accepting) !== 0) distance = 0;
    else if ((this.#errors1[depth]! & accepting) !== 0) distance = 1;
    else if ((this.#errors2[depth]! & accepting) !== 0) distance = 2;
    if (distance === 3) return;
    const known = this.#found.get(ordinal);
    if (known === undefined || distance < known) this.#found.set(ordinal, distance);
  }

  /** Goes on through the rest of a term that shares no further prefix with another. */
  #followTail(ordinal: number, depth: number, reversed: boolean): void {
    const tail = this.#tail;
    const length = decodeCodePoints(this.#terms.termBytes(ordinal), tail);
    for (let at = depth; at < length; at++) {
      const codePoint = tail[reversed ? length - 1 - at : at]!;
      if (!this.#step(at, this.#maskOf(codePoint))) return;
    }
    this.#accept(ordinal, length);
  }

  #maskOf(codePoint: number): number {
    if (codePoint < 128) return this.#asciiMasks[codePoint]!;
    const pattern = this.#masksPattern;
    let mask = 0;
    for (let place = 0; place < pattern.length; place++) {
      if (pattern[place] === codePoint) mask |= 1 << place;
    }
    return mask;
  }
}
