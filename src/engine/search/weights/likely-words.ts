import type { FuzzyWeight } from "./fuzzy-weight.js";
import type { QueryBinding } from "./query-binding.js";

/** Words that a beginning may become which count. */
const LIKELY_WORDS_MAX = 2;

/** What a word that is being typed may become. */
export interface LikelyWord {
  readonly term: string;
  /** What a document counts for that holds it: a part of the pair that the beginning and the word before it are. */
  readonly weight: number;
}

/**
 * What stands most often behind the word before, each with its share of the pair's weight (docs/adr/0047).
 *
 * @throws FindlingError `search_timeout`
 */
export function likelyWords(
  before: FuzzyWeight,
  typed: FuzzyWeight,
  pair: { readonly gap: number; readonly weight: number },
  { statistics, interrupt }: QueryBinding,
): readonly LikelyWord[] {
  const docFreqs = new Map<string, number>();
  const followers = { before: before.followedVariants, word: typed.followedVariants, gap: pair.gap };
  for (const field of typed.statisticsFields) {
    for (const [term, docFreq] of statistics.followerDocFreqs(field, followers, interrupt))
      docFreqs.set(term, (docFreqs.get(term) ?? 0) + docFreq);
  }
  const all = [...docFreqs.values()].reduce((sum, docFreq) => sum + docFreq, 0);
  return [...docFreqs]
    .sort(([termA, a], [termB, b]) => b - a || (termA < termB ? -1 : 1))
    .slice(0, LIKELY_WORDS_MAX)
    .map(([term, docFreq]) => ({ term, weight: (pair.weight * docFreq) / all }));
}
