import type { JudgedCollection } from "./cranfield.js";
import type { FindlingRanker } from "./findling-ranker.js";

const WORD_COUNT = 3;

/**
 * By query: its three words that the fewest documents hold, in the query's order. Words of at least four
 * letters a to z that more than one document holds.
 */
export function rarestWords({ documents, queries }: JudgedCollection, ranker: FindlingRanker): string[] {
  const docFreqs = new Map<string, number>();
  for (const { title, text } of documents) {
    for (const word of new Set([...ranker.tokens(title), ...ranker.tokens(text)])) {
      docFreqs.set(word, (docFreqs.get(word) ?? 0) + 1);
    }
  }
  const docFreq = (word: string): number => docFreqs.get(word) ?? 0;
  return queries.map(({ text }) => {
    const words = [...new Set(ranker.queryTokens(text))].filter(
      (word) => /^[a-z]{4,}$/.test(word) && docFreq(word) > 1,
    );
    const rarest = words.toSorted((a, b) => docFreq(a) - docFreq(b)).slice(0, WORD_COUNT);
    return words.filter((word) => rarest.includes(word)).join(" ");
  });
}
