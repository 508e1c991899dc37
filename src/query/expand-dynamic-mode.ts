import { tokensOf } from "../analysis/analyzer.js";
import { endsInWord, typedUnfieldedAst } from "./as-you-type.js";
import { anyOf } from "./combine.js";
import { compileFuzzy } from "./compile-fuzzy.js";
import { contentWords } from "./content-words.js";
import type { QueryAst } from "./query-ast.js";
import { unfieldedAst } from "./search-fields.js";
import { type SearchedIndex, stopWordSetOf } from "./searched-index.js";

/**
 * Contract 5.2, "dynamic": the number of words, stopwords aside, decides how exact the search is.
 *
 * @param isBeingTyped whether a word at the very end stands for every word that begins like it
 */
export function expandDynamicMode(text: string, index: SearchedIndex, isBeingTyped = false): QueryAst {
  const hasTypedWord = isBeingTyped && endsInWord(text) && holdsToken(text.slice(lastWordStart(text)), index);
  const words = countedWords(text, index, hasTypedWord);
  const last = words.length - 1;
  const exactly = (word: string): QueryAst =>
    unfieldedAst(index, { text: word, slop: 0, isPrefix: false }) ?? { kind: "match_none" };
  const matching = (i: number, mode: (word: string) => QueryAst): QueryAst =>
    hasTypedWord && i === last ? typedUnfieldedAst(index, words[i]!) : mode(words[i]!);
  const fuzzily = (word: string): QueryAst => compileFuzzy(word, index, word, false);
  // From the text as it is: keys of synonyms may hold stopwords.
  const whole = hasTypedWord
    ? anyOf([
        compileFuzzy(
          text.slice(0, text.lastIndexOf(words[last]!)),
          index,
          words.slice(0, -1).join(" "),
          false,
        ),
        matching(last, fuzzily),
      ])
    : compileFuzzy(text, index, words.join(" "));
  const [first, second] = words;
  switch (words.length) {
    case 0:
      return { kind: "match_none" };
    case 1:
      return matching(0, exactly);
    case 2:
      return {
        kind: "boolean",
        clauses: [
          { occur: "should", ast: whole },
          { occur: "must", ast: exactly(first!) },
          { occur: "must", ast: matching(1, fuzzily) },
        ],
      };
    case 3:
      return {
        kind: "boolean",
        clauses: [
          { occur: "should", ast: whole },
          { occur: "must_if_present", word: first!, ast: exactly(first!) },
          { occur: "must_if_present", word: second!, ast: exactly(second!) },
          { occur: "should", ast: matching(2, fuzzily) },
        ],
      };
    default:
      return whole;
  }
}

/**
 * The white-space separated words that hold a token which is no stopword.
 *
 * @param keepsLast whether the last word, which holds a token, is one in any case, as the beginning of any word
 */
function countedWords(text: string, index: SearchedIndex, keepsLast: boolean): string[] {
  const words = text.split(/\s+/);
  const last = keepsLast ? words.pop()! : "";
  const stopWords = stopWordSetOf(index);
  const counted = contentWords(
    words,
    (word) => word,
    index.analyzer,
    (tokens, before) => stopWords?.without(tokens, before) ?? tokens,
  );
  if (keepsLast) counted.push(last);
  return counted;
}

/** Whether a word has a token at all: one of more than 255 bytes has none, nor have marks alone. */
function holdsToken(word: string, index: SearchedIndex): boolean {
  return tokensOf(index.analyzer, word).length > 0;
}

function lastWordStart(text: string): number {
  let start = text.length;
  while (start > 0 && !/\s/.test(text[start - 1]!)) start--;
  return start;
}
