import { type Token, tokensOf } from "../analysis/analyzer.js";
import { FIRST_WORD, isStemTerm } from "../analysis/stem-terms.js";
import type { StopWordSet } from "../analysis/stop-word-set.js";
import { FindlingError } from "../errors/index.js";
import { anyOf } from "./combine.js";
import type { AstBound, QueryAst } from "./query-ast.js";
import { type SearchedIndex, stopWordSetOf } from "./searched-index.js";

/** A word or phrase as a text field is asked for it. */
export interface WrittenText {
  readonly text: string;
  readonly slop: number;
  /** Whether the last token stands for every term that starts with it. */
  readonly isPrefix: boolean;
}

/**
 * One text field's documents with the text: a term, or a phrase where the text gives several tokens
 * (contract 5.5, rules 3, 5 and 6). Stopwords are dropped and leave gaps; a prefix is never one. Null if
 * nothing remains.
 */
export function textAst(index: SearchedIndex, field: string, written: WrittenText): QueryAst | null {
  return tokensAst(field, searchedTokens(index, written), written);
}

/** What of a text is looked for, the same in every text field. */
export function searchedTokens(index: SearchedIndex, written: WrittenText): readonly Token[] {
  const all = tokensOf(index.analyzer, written.text);
  const stopWords = stopWordSetOf(index);
  if (!written.isPrefix) return withoutStopWords(all, written.text, stopWords);
  return [...withoutStopWords(all.slice(0, -1), written.text, stopWords), ...all.slice(-1)];
}

/** As `textAst`, of the text's `searchedTokens`. */
export function tokensAst(field: string, tokens: readonly Token[], written: WrittenText): QueryAst | null {
  const [first] = tokens;
  if (first === undefined) return null;
  if (tokens.length === 1) {
    return written.isPrefix ? prefixAst(field, first) : termAst(field, first);
  }
  return {
    kind: "phrase",
    field,
    terms: tokens.map((token, i) => ({
      term: written.isPrefix && i === tokens.length - 1 ? token.word : token.text,
      position: token.position - first.position,
    })),
    slop: written.slop,
    lastIsPrefix: written.isPrefix,
  };
}

/** Leaves a code such as `IT-500` its stopword, where a lone word would be left that has nothing to do with it. */
function withoutStopWords(
  words: readonly Token[],
  text: string,
  stopWords: StopWordSet | null,
): readonly Token[] {
  const kept = stopWords?.without(words, text) ?? words;
  return kept.length < 2 ? (stopWords?.withoutLoose(words, text) ?? words) : kept;
}

/** One text field's documents with a token, found by its stem if it has one. */
function termAst(field: string, { text, word }: Token): QueryAst {
  return isStemTerm(text)
    ? { kind: "term", field, term: text, written: word }
    : { kind: "term", field, term: text };
}

/** An index of old analysis holds stems alone: what has been written may be the beginning of one, or have one itself. */
function prefixAst(field: string, { word, text }: Token): QueryAst {
  const prefix: QueryAst = { kind: "prefix", field, prefix: word };
  if (word === text || isStemTerm(text)) return prefix;
  return { kind: "constant_score", ast: anyOf([prefix, { kind: "term", field, term: text }]), score: 1 };
}

/**
 * One text field's documents with a term between the bounds.
 * @throws FindlingError `invalid_field_value` for a bound that is not one token
 */
export function textRangeAst(
  index: SearchedIndex,
  field: string,
  lower: AstBound<string> | null,
  upper: AstBound<string> | null,
): QueryAst {
  if (lower === null && upper === null) return { kind: "exists", field };
  return {
    kind: "term_range",
    field,
    lower: singleToken(index, field, lower) ?? leastWord(index),
    upper: singleToken(index, field, upper),
  };
}

function singleToken(
  index: SearchedIndex,
  field: string,
  bound: AstBound<string> | null,
): AstBound<string> | null {
  if (bound === null) return null;
  const [token, second] = tokensOf(index.analyzer, bound.value);
  if (token === undefined || second !== undefined) {
    throw new FindlingError("invalid_field_value", `a bound of text field '${field}' must be a single word`);
  }
  const { text, word } = token;
  return { value: isStemTerm(text) ? word : text, inclusive: bound.inclusive };
}

/** Stems come before words. */
function leastWord({ analyzer }: SearchedIndex): AstBound<string> | null {
  return analyzer.stemOf === null ? null : { value: FIRST_WORD, inclusive: true };
}
