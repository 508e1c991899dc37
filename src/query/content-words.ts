import { type Analyzer, type Token, tokensOf } from "../analysis/analyzer.js";

/**
 * Those of some words, written in a row with white space between them, of which a token is kept. They are
 * looked at together, for a stopword may be several words, as some of Korean's and Vietnamese's are.
 *
 * @param textOf a word as it is written
 * @param keep gives the tokens of a text that are no stopwords
 */
export function contentWords<Word>(
  words: readonly Word[],
  textOf: (word: Word) => string,
  analyzer: Analyzer,
  keep: (tokens: readonly Token[], text: string) => readonly Token[],
): Word[] {
  const text = words.map(textOf).join(" ");
  const kept = keep(tokensOf(analyzer, text), text);
  let end = -1;
  let next = 0;
  return words.filter((word) => {
    end += 1 + textOf(word).length;
    const first = next;
    while (next < kept.length && kept[next]!.start < end) next++;
    return next > first;
  });
}
