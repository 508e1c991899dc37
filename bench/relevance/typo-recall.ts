import { allowedDistance } from "../../src/query/compile-fuzzy.js";
import { FindlingRanker } from "./findling-ranker.js";
import type { Misspelling } from "./misspellings.js";

export interface TypoRecall {
  readonly pairs: number;
  /** Pairs asked for: those whose distance is allowed for the misspelt word's length, or a sample of them. */
  readonly withinDistance: number;
  /** Those of which the word that was meant is not among the results, written `wrong → right`. */
  readonly missed: readonly string[];
  /** Those of which it has the highest score, alone or with others. */
  readonly first: number;
  /** Words, right and wrong ones, asked for in an index of all of them, or a sample. */
  readonly exactWords: number;
  /** Those that are not first alone. */
  readonly notFirst: readonly string[];
}

/**
 * Fuzzy mode on misspelt words: against an index of the words that were meant, one a document, whether
 * each misspelling finds its word; and against an index of right and wrong words, whether each word
 * itself scores above all others.
 *
 * @param step asks for one pair or word in so many; the indexes hold all of them
 */
export async function measureTypoRecall(pairs: readonly Misspelling[], step = 1): Promise<TypoRecall> {
  const rightWords = new Set(pairs.map(({ right }) => right));
  const isAsked = (_: unknown, i: number): boolean => i % step === 0;
  const within = pairs.filter(({ wrong, osa }) => osa <= allowedDistance(wrong)).filter(isAsked);
  const missed: string[] = [];
  let first = 0;
  const rightOnly = await wordRanker(rightWords);
  for (const { wrong, right } of within) {
    const hits = rightOnly.search("fuzzy", wrong, rightWords.size);
    const hit = hits.find(({ id }) => id === right);
    if (hit === undefined) missed.push(`${wrong} → ${right}`);
    else if (hit.score === hits[0]!.score) first++;
  }
  await rightOnly.close();
  const words = new Set([...rightWords, ...pairs.map(({ wrong }) => wrong)]);
  const notFirst: string[] = [];
  const all = await wordRanker(words);
  const exactWords = [...words].filter(isAsked);
  for (const word of exactWords) {
    const [best, second] = all.search("fuzzy", word, 2);
    const isAlone = second === undefined || (best !== undefined && second.score < best.score);
    if (best?.id !== word || !isAlone) notFirst.push(word);
  }
  await all.close();
  return {
    pairs: pairs.length,
    withinDistance: within.length,
    missed,
    first,
    exactWords: exactWords.length,
    notFirst,
  };
}

/** No stopwords, so that a misspelling that is one is looked for, too. */
function wordRanker(words: ReadonlySet<string>): Promise<FindlingRanker> {
  const documents = [...words].map((word) => ({ id: word, title: word, text: "" }));
  return FindlingRanker.build(documents, { isStemming: false, dropsStopWords: false });
}

/** Markdown lines. */
export function typoRecallLines(recall: TypoRecall, file: string): string {
  const { pairs, withinDistance, missed, first, exactWords, notFirst } = recall;
  const found = withinDistance - missed.length;
  const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;
  const some = (words: readonly string[]): string =>
    words.length === 0 ? "" : ` (not: ${words.slice(0, 5).join(", ")})`;
  return [
    `- misspellings (${file}): ${pairs}, of which ${withinDistance} are within the distance allowed`,
    `- find their word: ${found} of ${withinDistance}, ${percent(found, withinDistance)}${some(missed)}`,
    `- have it at the top, alone or with others as near: ${percent(first, withinDistance)}`,
    `- words typed right are first alone: ${exactWords - notFirst.length} of ${exactWords}, ` +
      `${percent(exactWords - notFirst.length, exactWords)}${some(notFirst)}`,
  ].join("\n");
}
