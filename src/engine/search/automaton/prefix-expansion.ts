import { meantBy } from "../../../analysis/korean-beginnings.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import { BIT_PARALLEL_PATTERN_MAX, BitParallelTrieSearch } from "./bit-parallel-trie-search.js";
import { codePointsOf, TERM_CODE_POINTS_MAX } from "./code-points.js";
import { madeTries } from "./made-tries.js";
import { type BegunExpansion, NearTerms, type TermExpansion } from "./near-terms.js";
import { beginningRange } from "./prefix-range.js";

const NOTHING: TermExpansion = { ordinals: new Uint32Array(0), distances: new Uint8Array(0) };

/**
 * All terms that begin with something within `maxDistance` edits of the prefix, each with the distance
 * of the nearest of its beginnings; terms of deleted documents included. A prefix is at least one code
 * point longer than the distance, or every term would do. Whatever its last syllable may become yet is as near as that.
 * Where one walk tells, which of the terms are as near by all their letters is told, too.
 *
 * @throws FindlingError `search_timeout`
 */
export function expandPrefix(
  terms: FieldTerms,
  prefix: string,
  maxDistance: 0 | 1 | 2,
  interrupt: SearchInterrupt = NO_INTERRUPT,
): TermExpansion & Partial<BegunExpansion> {
  if (maxDistance === 0) return expandWithoutEdits(terms, prefix);
  const pattern = codePointsOf(prefix);
  if (pattern.length <= maxDistance || pattern.length > TERM_CODE_POINTS_MAX + maxDistance) return NOTHING;
  const tries = madeTries(terms, interrupt);
  const { first, last } = meantBy(pattern[pattern.length - 1]!);
  pattern[pattern.length - 1] = first;
  if (tries !== null && first === last && pattern.length <= BIT_PARALLEL_PATTERN_MAX) {
    const search = new BitParallelTrieSearch(terms, tries.alphabet, pattern, maxDistance, interrupt);
    return search.searchBeginnings(tries);
  }
  const near = new NearTerms(terms, { pattern, maxDistance, ofBeginnings: true, lastMeant: last }, interrupt);
  return tries === null ? near.scan() : near.walk(tries.forward, tries.alphabet);
}

/** Terms that begin so stand next to each other. */
function expandWithoutEdits(terms: FieldTerms, prefix: string): TermExpansion {
  if (prefix === "") return NOTHING;
  const { first, end } = beginningRange(terms, terms.termCount, prefix);
  const ordinals = new Uint32Array(Math.max(0, end - first));
  for (let i = 0; i < ordinals.length; i++) ordinals[i] = first + i;
  return { ordinals, distances: new Uint8Array(ordinals.length) };
}
