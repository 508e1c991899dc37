import { tokensOf } from "../analysis/analyzer.js";
import { endsInWord, typedUnfieldedAst } from "./as-you-type.js";
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
  // From the text as it is: keys of synonyms may hold stopwords.
  const whole = compileFuzzy(text, index, { identifier: words.join(" "), isBeingTyped: hasTypedWord });
  const fuzzily = (i: number): QueryAst =>
    compileFuzzy(words[i]!, index, { isBeingTyped: hasTypedWord && i === last, isPart: true });
  const [first, second] = words;
  switch (words.length) {
    case 0:
      return { kind: "match_none" };
    case 1:
      return hasTypedWord ? typedUnfieldedAst(index, first!) : exactly(first!);
    case 2:
      return {
        kind: "boolean",
        clauses: [
          { occur: "should", ast: whole },
          { occur: "must", ast: exactly(first!) },
          { occur: "must", ast: fuzzily(1) },
        ],
      };
    case 3:
      return {
        kind: "boolean",
        clauses: [
          { occur: "should", ast: whole },
          { occur: "must_if_present", word: first!, ast: exactly(first!) },
          { occur: "must_if_present", word: second!, ast: exactly(second!) },
          { occur: "should", ast: fuzzily(2) },
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
