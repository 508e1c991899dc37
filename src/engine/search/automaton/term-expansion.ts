import { BandedDistance } from "../../../analysis/banded-distance.js";
import type { FieldTerms, TermTrie } from "../../segment/segment-reader.js";
import { NO_INTERRUPT, type SearchInterrupt, STEPS_PER_CHECK } from "../search-interrupt.js";
import { BIT_PARALLEL_PATTERN_MAX, BitParallelTrieSearch } from "./bit-parallel-trie-search.js";
import { codePointsOf, decodeCodePoints, TERM_CODE_POINTS_MAX } from "./code-points.js";
import { madeTries } from "./made-tries.js";

/** The terms of one segment and field within a distance of a word. */
export interface TermExpansion {
  /** Ascending. */
  readonly ordinals: Uint32Array;
  /** Optimal string alignment distance of each. */
  readonly distances: Uint8Array;
}

const LEAF = 0x8000_0000;
const encoder = new TextEncoder();

/**
 * All terms within `maxDistance` of the word, deleted documents' terms included.
 *
 * @throws FindlingError `search_timeout`
 */
export function expandTerm(
  terms: FieldTerms,
  word: string,
  maxDistance: 0 | 1 | 2,
  interrupt: SearchInterrupt = NO_INTERRUPT,
): TermExpansion {
  interrupt.check();
  if (maxDistance === 0) {
    const ordinal = terms.ordinalOf(encoder.encode(word));
    return toExpansion(ordinal < 0 ? new Map() : new Map([[ordinal, 0]]));
  }
  const pattern = codePointsOf(word);
  if (pattern.length > TERM_CODE_POINTS_MAX + maxDistance) return toExpansion(new Map());
  const tries = pattern.length === 0 ? null : madeTries(terms, interrupt);
  if (tries === null) return toExpansion(scanTerms(terms, pattern, maxDistance, interrupt));
  if (pattern.length > BIT_PARALLEL_PATTERN_MAX) {
    return toExpansion(walkTrie(terms, tries.forward, tries.alphabet, pattern, maxDistance, interrupt));
  }
  const search = new BitParallelTrieSearch(terms, tries.alphabet, pattern, maxDistance, interrupt);
  return search.search(tries);
}

/** For vocabularies without tries: every term of a fitting length is compared. */
function scanTerms(
  terms: FieldTerms,
  pattern: Uint32Array,
  maxDistance: number,
  interrupt: SearchInterrupt,
): Map<number, number> {
  const found = new Map<number, number>();
  const distance = new BandedDistance(pattern, maxDistance, TERM_CODE_POINTS_MAX);
  const codePoints = new Uint32Array(TERM_CODE_POINTS_MAX);
  for (let ordinal = 0; ordinal < terms.termCount; ordinal++) {
    if ((ordinal & (STEPS_PER_CHECK - 1)) === 0) interrupt.check();
    const bytes = terms.termBytes(ordinal);
    // A code point takes one to four bytes.
    if (bytes.length < pattern.length - maxDistance || bytes.length > 4 * (pattern.length + maxDistance))
      continue;
    const length = decodeCodePoints(bytes, codePoints);
    noteDistance(found, ordinal, distance, codePoints, 0, length, maxDistance);
  }
  return found;
}

/** For words too long for the bit vectors: the forward trie, pruned by rows of the dynamic programme. */
function walkTrie(
  terms: FieldTerms,
  trie: TermTrie,
  alphabet: Uint32Array,
  pattern: Uint32Array,
  maxDistance: number,
  interrupt: SearchInterrupt,
): Map<number, number> {
  const found = new Map<number, number>();
  const distance = new BandedDistance(pattern, maxDistance, TERM_CODE_POINTS_MAX);
  const codePoints = new Uint32Array(TERM_CODE_POINTS_MAX);
  const { labels, depths, values } = trie;
  let steps = 0;
  for (let node = 0; node < labels.length; ) {
    if ((++steps & (STEPS_PER_CHECK - 1)) === 0) interrupt.check();
    const label = labels[node]!;
    const depth = depths[node]!;
    const value = values[node]!;
    if (label === 0) {
      if (distance.distance(depth) <= maxDistance) found.set(value - LEAF, distance.distance(depth));
      node++;
    } else if (!distance.push(depth, alphabet[label - 1]!)) {
      node = value >= LEAF ? node + 1 : value;
    } else {
      if (value >= LEAF) {
        const length = decodeCodePoints(terms.termBytes(value - LEAF), codePoints);
        noteDistance(found, value - LEAF, distance, codePoints, depth + 1, length, maxDistance);
      }
      node++;
    }
  }
  return found;
}

/** Feeds a term's code points from `from` on and notes the term if it is near enough. */
function noteDistance(
  found: Map<number, number>,
  ordinal: number,
  distance: BandedDistance,
  codePoints: Uint32Array,
  from: number,
  length: number,
  maxDistance: number,
): void {
  for (let at = from; at < length; at++) {
    if (!distance.push(at, codePoints[at]!)) return;
  }
  if (distance.distance(length) <= maxDistance) found.set(ordinal, distance.distance(length));
}

function toExpansion(found: ReadonlyMap<number, number>): TermExpansion {
  const ordinals = Uint32Array.from(found.keys()).sort();
  const distances = new Uint8Array(ordinals.length);
  for (let i = 0; i < ordinals.length; i++) distances[i] = found.get(ordinals[i]!)!;
  return { ordinals, distances };
}
