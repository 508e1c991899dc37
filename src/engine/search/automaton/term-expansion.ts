import type { FieldTerms } from "../../segment/segment-reader.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import { BIT_PARALLEL_PATTERN_MAX, BitParallelTrieSearch } from "./bit-parallel-trie-search.js";
import { codePointsOf, TERM_CODE_POINTS_MAX } from "./code-points.js";
import { madeTries } from "./made-tries.js";
import { NearTerms, type TermExpansion } from "./near-terms.js";

const encoder = new TextEncoder();
const NOTHING: TermExpansion = { ordinals: new Uint32Array(0), distances: new Uint8Array(0) };

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
    return ordinal < 0 ? NOTHING : { ordinals: Uint32Array.of(ordinal), distances: new Uint8Array(1) };
  }
  const pattern = codePointsOf(word);
  if (pattern.length > TERM_CODE_POINTS_MAX + maxDistance) return NOTHING;
  const tries = pattern.length === 0 ? null : madeTries(terms, interrupt);
  if (tries !== null && pattern.length <= BIT_PARALLEL_PATTERN_MAX) {
    return new BitParallelTrieSearch(terms, tries.alphabet, pattern, maxDistance, interrupt).search(tries);
  }
  const near = new NearTerms(terms, { pattern, maxDistance, ofBeginnings: false }, interrupt);
  return tries === null ? near.scan() : near.walk(tries.forward, tries.alphabet);
}
