import type { FieldTerms, TermTrie, TermTries } from "../../segment/segment-reader.js";
import { type SearchInterrupt, STEPS_PER_CHECK } from "../search-interrupt.js";
import { decodeCodePoints, TERM_CODE_POINTS_MAX } from "./code-points.js";
import type { BegunExpansion, TermExpansion } from "./near-terms.js";

/** Longest pattern whose states fit a 32-bit word, two bits of shift included. */
export const BIT_PARALLEL_PATTERN_MAX = 29;

const LEAF = 0x8000_0000;
/** Distances that are told apart. */
const DISTANCES = 3;
/** Numbers for each term among those found: two for each distance, that of whole words before that of beginnings. */
const FINDS = 2 * DISTANCES;

/** Where a state's vectors are: those of 0, 1 and 2 errors, and the first halves of swaps. */
const STATE_WORDS = 8;
const ERRORS_0 = 0;
const ERRORS_1 = 1;
const ERRORS_2 = 2;
const SWAPS_1 = 3;
const SWAPS_2 = 4;

const NO_PATTERN = new Uint32Array(0);

/** What every search overwrites: a search that makes its own takes a twentieth longer. */
class SearchScratch {
  /** By depth, `STATE_WORDS` each: the state after so many code points. */
  readonly states: Int32Array = new Int32Array((TERM_CODE_POINTS_MAX + 2) * STATE_WORDS);
  readonly asciiMasks: Int32Array = new Int32Array(128);
  readonly tail: Uint32Array = new Uint32Array(TERM_CODE_POINTS_MAX + 1);
  /** By depth: the distance of the nearest beginning so far, and 1 if a longer one can come nearer. */
  readonly nearest: Uint8Array = new Uint8Array(TERM_CODE_POINTS_MAX + 2);
  readonly areOpen: Uint8Array = new Uint8Array(TERM_CODE_POINTS_MAX + 2);
}

/** The thread's: a search isn't left while it walks a trie but for good. */
const ofThread = new SearchScratch();

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
  /** Term ordinals times `FINDS` plus twice the distances found, and 1 where only a beginning is so near; some of them twice. */
  readonly #found: number[] = [];
  /** By label: pattern places that hold its code point. */
  readonly #labelMasks: Int32Array;
  readonly #scratch: SearchScratch;
  #allowed1 = 0;
  #allowed2 = 0;
  #masksPattern: Uint32Array = NO_PATTERN;

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
    this.#scratch = ofThread;
    this.#labelMasks = new Int32Array(alphabet.length + 1);
  }

  /** Ascending term ordinals with their distances. @throws FindlingError `search_timeout` */
  search(tries: TermTries): TermExpansion {
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
    return this.#nearest();
  }

  /**
   * Terms that begin with something within the distance of the pattern, each at the distance of its nearest beginning,
   * ascending, and whether all of it is as near. The errors may be anywhere, as what follows the beginning tells nothing: only the forward trie is walked.
   *
   * @throws FindlingError `search_timeout`
   */
  searchBeginnings({ forward, alphabet }: TermTries): BegunExpansion {
    const all = (2 << this.#pattern.length) - 1;
    this.#fillMasks(this.#pattern, alphabet);
    this.#allowed1 = all;
    this.#allowed2 = this.#maxDistance === 1 ? 0 : all;
    this.#walkBeginnings(forward);
    return this.#nearest();
  }

  /** Each term once, at the smallest distance found. */
  #nearest(): BegunExpansion {
    const found = new Float64Array(this.#found).sort();
    const ordinals = new Uint32Array(found.length);
    const distances = new Uint8Array(found.length);
    const areBegun = new Uint8Array(found.length);
    let count = 0;
    for (let i = 0; i < found.length; i++) {
      const ordinal = Math.floor(found[i]! / FINDS);
      if (count > 0 && ordinals[count - 1] === ordinal) continue;
      const find = found[i]! - ordinal * FINDS;
      ordinals[count] = ordinal;
      distances[count] = find >>> 1;
      areBegun[count++] = find & 1;
    }
    return {
      ordinals: ordinals.slice(0, count),
      distances: distances.slice(0, count),
      areBegun: areBegun.slice(0, count),
    };
  }

  #fillMasks(pattern: Uint32Array, alphabet: Uint32Array): void {
    this.#masksPattern = pattern;
    const { asciiMasks } = this.#scratch;
    this.#labelMasks.fill(0);
    asciiMasks.fill(0);
    for (let place = 0; place < pattern.length; place++) {
      const codePoint = pattern[place]!;
      this.#labelMasks[alphabet.indexOf(codePoint) + 1]! |= 1 << place;
      if (codePoint < 128) asciiMasks[codePoint]! |= 1 << place;
    }
    // Code points that no term has were counted at label 0, which is no code point.
    this.#labelMasks[0] = 0;
  }

  #walk(trie: TermTrie, reversed: boolean): void {
    const { labels, depths, values } = trie;
    const labelMasks = this.#labelMasks;
    const { states } = this.#scratch;
    this.#begin(states);
    const { length } = labels;
    // Invariant: the states up to the node's depth are those of the path to its parent.
    let steps = 0;
    for (let node = 0; node < length; ) {
      if ((++steps & (STEPS_PER_CHECK - 1)) === 0) this.#interrupt.check();
      const label = labels[node]!;
      const depth = depths[node]!;
      const value = values[node]!;
      if (label === 0) {
        this.#accept(value - LEAF, depth);
        node++;
      } else if (!this.#step(states, depth, labelMasks[label]!)) {
        node = value >= LEAF ? node + 1 : value;
      } else {
        if (value >= LEAF) this.#followTail(value - LEAF, depth + 1, reversed);
        node++;
      }
    }
  }

  #walkBeginnings({ labels, depths, values }: TermTrie): void {
    const labelMasks = this.#labelMasks;
    const { states, nearest, areOpen } = this.#scratch;
    this.#begin(states);
    nearest[0] = DISTANCES;
    areOpen[0] = 1;
    const { length } = labels;
    // Invariant: as for `#walk`, where the path is open; what is within the distance once stays so.
    let steps = 0;
    for (let node = 0; node < length; ) {
      if ((++steps & (STEPS_PER_CHECK - 1)) === 0) this.#interrupt.check();
      const label = labels[node]!;
      const depth = depths[node]!;
      const value = values[node]!;
      let distance = nearest[depth]!;
      if (label === 0) {
        this.#note(value - LEAF, distance, this.#isWhole(depth, distance, areOpen[depth] === 1));
        node++;
        continue;
      }
      const isOpen = areOpen[depth] === 1 && this.#step(states, depth, labelMasks[label]!);
      if (isOpen) distance = Math.min(distance, this.#distanceAt(depth + 1));
      if (value >= LEAF) {
        if (isOpen) this.#noteBeginning(value - LEAF, depth + 1, distance);
        else this.#note(value - LEAF, distance, false);
        node++;
        continue;
      }
      nearest[depth + 1] = distance;
      areOpen[depth + 1] = isOpen && distance > 0 ? 1 : 0;
      node = isOpen || distance < DISTANCES ? node + 1 : value;
    }
  }

  #begin(states: Int32Array): void {
    const errors1 = 2 & this.#allowed1;
    states[ERRORS_0] = 1;
    states[ERRORS_1] = errors1;
    states[ERRORS_2] = (errors1 << 1) & this.#allowed2;
    states[SWAPS_1] = 0;
    states[SWAPS_2] = 0;
  }

  /** Computes the state at `depth + 1`; false if it is dead. */
  #step(states: Int32Array, depth: number, mask: number): boolean {
    const at = depth * STATE_WORDS;
    const errors0 = states[at]!;
    const errors1 = states[at + ERRORS_1]!;
    const next0 = (errors0 & mask) << 1;
    let next1 = ((errors1 & mask) << 1) | errors0 | (errors0 << 1) | (next0 << 1);
    next1 = (next1 | ((states[at + SWAPS_1]! & mask) << 2)) & this.#allowed1;
    let next2 = ((states[at + ERRORS_2]! & mask) << 1) | errors1 | (errors1 << 1) | (next1 << 1);
    next2 = (next2 | ((states[at + SWAPS_2]! & mask) << 2)) & this.#allowed2;
    const swaps1 = errors0 & (mask >> 1);
    const swaps2 = errors1 & (mask >> 1);
    // Most are dead.
    if ((next0 | next1 | next2 | swaps1 | swaps2) === 0) return false;
    const next = at + STATE_WORDS;
    states[next] = next0;
    states[next + ERRORS_1] = next1;
    states[next + ERRORS_2] = next2;
    states[next + SWAPS_1] = swaps1;
    states[next + SWAPS_2] = swaps2;
    return true;
  }

  /** Notes the term if the state after `depth` code points accepts. */
  #accept(ordinal: number, depth: number): void {
    this.#note(ordinal, this.#distanceAt(depth), true);
  }

  #note(ordinal: number, distance: number, isWhole: boolean): void {
    if (distance < DISTANCES) this.#found.push(ordinal * FINDS + 2 * distance + (isWhole ? 0 : 1));
  }

  /**
   * Whether a term of `length` code points is as near as the nearest of its beginnings.
   *
   * @param isAlive whether the state after all of them has been computed
   */
  #isWhole(length: number, nearest: number, isAlive: boolean): boolean {
    // Behind a beginning without an error no states are computed.
    if (nearest === 0) return length === this.#pattern.length;
    return isAlive && this.#distanceAt(length) === nearest;
  }

  /** The least number of errors with which the state after `depth` code points accepts; `DISTANCES` if it doesn't. */
  #distanceAt(depth: number): number {
    const { states } = this.#scratch;
    const at = depth * STATE_WORDS;
    const accepting = 1 << this.#pattern.length;
    if (((states[at]! | states[at + ERRORS_1]! | states[at + ERRORS_2]!) & accepting) === 0) return DISTANCES;
    if ((states[at]! & accepting) !== 0) return 0;
    return (states[at + ERRORS_1]! & accepting) === 0 ? 2 : 1;
  }

  /** Notes a term by its nearest beginning, of which those up to `depth` code points are at `distance`. */
  #noteBeginning(ordinal: number, depth: number, distance: number): void {
    const { states, tail } = this.#scratch;
    const length = decodeCodePoints(this.#terms.termBytes(ordinal), tail);
    let nearest = distance;
    let isAlive = true;
    for (let at = depth; at < length && nearest > 0 && isAlive; at++) {
      isAlive = this.#step(states, at, this.#maskOf(tail[at]!));
      if (isAlive) nearest = Math.min(nearest, this.#distanceAt(at + 1));
    }
    this.#note(ordinal, nearest, this.#isWhole(length, nearest, isAlive));
  }

  /** Goes on through the rest of a term that shares no further prefix with another. */
  #followTail(ordinal: number, depth: number, reversed: boolean): void {
    const bytes = this.#terms.termBytes(ordinal);
    const { states, asciiMasks, tail } = this.#scratch;
    if (isAscii(bytes)) {
      const last = bytes.length - 1;
      for (let at = depth; at <= last; at++) {
        if (!this.#step(states, at, asciiMasks[bytes[reversed ? last - at : at]!]!)) return;
      }
      this.#accept(ordinal, last + 1);
      return;
    }
    const length = decodeCodePoints(bytes, tail);
    for (let at = depth; at < length; at++) {
      const codePoint = tail[reversed ? length - 1 - at : at]!;
      if (!this.#step(states, at, this.#maskOf(codePoint))) return;
    }
    this.#accept(ordinal, length);
  }

  #maskOf(codePoint: number): number {
    if (codePoint < 128) return this.#scratch.asciiMasks[codePoint]!;
    const pattern = this.#masksPattern;
    let mask = 0;
    for (let place = 0; place < pattern.length; place++) {
      if (pattern[place] === codePoint) mask |= 1 << place;
    }
    return mask;
  }
}

function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! >= 0x80) return false;
  return true;
}
