import { tokensOf } from "../analysis/analyzer.js";
import { FindlingError } from "../errors/index.js";
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
 * (contract 5.5, rules 3, 5 and 6). Stopwords are dropped and leave gaps; a prefix is never one.
 * Null if nothing remains.
 */
export function textAst(index: SearchedIndex, field: string, written: WrittenText): QueryAst | null {
  const all = tokensOf(index.analyzer, written.text);
  const stopWords = stopWordSetOf(index);
  const prefixed = written.isPrefix ? all.slice(-1) : [];
  const words = written.isPrefix ? all.slice(0, -1) : all;
  const kept = [...(stopWords?.without(words, written.text) ?? words), ...prefixed];
  const [first] = kept;
  if (first === undefined) return null;
  if (kept.length === 1) {
    return written.isPrefix
      ? { kind: "prefix", field, prefix: first.text }
      : { kind: "term", field, term: first.text };
  }
  return {
    kind: "phrase",
    field,
    terms: kept.map((token) => ({ term: token.text, position: token.position - first.position })),
    slop: written.slop,
    lastIsPrefix: written.isPrefix,
  };
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
    lower: singleToken(index, field, lower),
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
  return { value: token.text, inclusive: bound.inclusive };
}
