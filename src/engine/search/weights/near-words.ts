import { type NearField, Nearness, type WordPair } from "../evaluators/nearness.js";
import type { SegmentContext } from "../plan/matcher.js";
import type { WordsQuery } from "../query.js";
import { WHOLE_FIELD } from "../similarity/nearness-scoring.js";
import { FuzzyWeight } from "./fuzzy-weight.js";
import { type LikelyWord, likelyWords } from "./likely-words.js";
import type { QueryBinding } from "./query-binding.js";
import type { Weight } from "./weight.js";

/** Words further apart in a query are no neighbours. */
const GAP_MAX = 16;
/** Beginnings of one letter stand for too many words to ask for the positions of all. */
const BEGUN_LENGTH_MIN = 2;
/** What a pair counts, in parts of the idf of its words. */
const PAIR_WEIGHT = 4;
/** What a pair counts of which one is a stopword. */
const SILENT_PAIR_WEIGHT = 2;

interface PlacedWord {
  readonly weight: FuzzyWeight;
  readonly position: number;
  /** Whether it is a stopword, which has only neighbours beside it. */
  readonly isSilent: boolean;
}

/** The words of a query of which it matters how near they stand. */
export class NearWords {
  /** What nearness scores at most. */
  readonly bound: number;
  readonly #words: readonly PlacedWord[];
  /** What the word being typed is likely to become; their numbers follow those of the words. */
  readonly #likely: readonly LikelyWord[];
  readonly #pairs: readonly WordPair[];

  /** @param leastBoost the greatest weight of a field counts as that at least */
  constructor(
    words: readonly PlacedWord[],
    pairs: readonly WordPair[],
    likely: readonly LikelyWord[],
    leastBoost: number,
  ) {
    let boost = leastBoost;
    for (const { weight } of words) for (const field of weight.fields) boost = Math.max(boost, field.boost);
    this.#words = words;
    this.#likely = likely;
    this.#pairs = pairs;
    this.bound = boost * (sumOfWeights(pairs) * (1 + WHOLE_FIELD) + sumOfWeights(likely));
  }

  /** Null where it makes no difference. */
  in(context: SegmentContext): Nearness | null {
    if (this.#pairs.length === 0) return null;
    const fields: NearField[] = [];
    for (const { field, boost } of this.#words[0]!.weight.fields) {
      const terms = context.segment.terms(field);
      if (terms === null || !(boost > 0)) continue;
      fields.push({
        terms,
        boost,
        words: [
          ...this.#words.map(({ weight }) => weight.nearestTerms(context, field)),
          ...this.#likely.map(({ term }) => {
            const found = context.statistics.term(field, term);
            return found === null ? [] : [found.ordinal];
          }),
        ],
      });
    }
    const length = this.#words.at(-1)!.position - this.#words[0]!.position + 1;
    const likely = this.#likely.map(({ weight }, i) => ({ word: this.#words.length + i, weight }));
    return new Nearness(fields, this.#pairs, likely, length, context.pool.interrupt);
  }
}

function sumOfWeights(all: readonly { readonly weight: number }[]): number {
  return all.reduce((sum, { weight }) => sum + weight, 0);
}

/** The single words among a query's readings, and which of them are neighbours. */
export function nearWords(
  { readings, boosts }: WordsQuery,
  weights: readonly Weight[],
  binding: QueryBinding,
): NearWords {
  const words: PlacedWord[] = [];
  readings.forEach(({ position, counts }, i) => {
    const weight = weights[i]!;
    if (position !== undefined && weight instanceof FuzzyWeight && weight.hasVariants)
      words.push({ weight, position, isSilent: counts === "nearness" });
  });
  words.sort((a, b) => a.position - b.position);
  const pairs: WordPair[] = [];
  for (let second = 1; second < words.length; second++) {
    for (let first = second - 1; first >= 0; first--) {
      const gap = words[second]!.position - words[first]!.position;
      const isSilent = words[first]!.isSilent || words[second]!.isSilent;
      if (isSilent ? gap === 1 : gap >= 1 && gap <= GAP_MAX) {
        const both = [words[first]!.weight, words[second]!.weight];
        const importance = both.reduce((sum, { inverseDocFreq }) => sum + inverseDocFreq, 0);
        const weight = (isSilent ? SILENT_PAIR_WEIGHT : PAIR_WEIGHT) * importance;
        if (both.every(({ begunLength }) => begunLength >= BEGUN_LENGTH_MIN))
          pairs.push({ first, second, gap, weight });
      }
      if (!isSilent) break;
    }
  }
  const typed = pairs.find(({ first, second }) => !words[first]!.isSilent && words[second]!.weight.isBegun);
  return new NearWords(
    words,
    pairs,
    typed === undefined
      ? []
      : likelyWords(words[typed.first]!.weight, words[typed.second]!.weight, typed, binding),
    boosts?.greatest ?? 0,
  );
}
