import { tokensOf } from "../analysis/analyzer.js";
import { anyOf, boosted } from "./combine.js";
import type { QueryAst } from "./query-ast.js";
import { searchFieldsOf } from "./search-fields.js";
import { type SearchedIndex, stopWordSetOf } from "./searched-index.js";

const ALL_DIGITS = /^\p{Nd}+$/u;

/** Edits that a word of the query may be away from a term, by its length in code points (contract 5.2). */
export function allowedDistance(token: string): 0 | 1 | 2 {
  if (ALL_DIGITS.test(token)) return 0;
  let length = 0;
  for (const _codePoint of token) length++;
  if (length <= 2) return 0;
  return length <= 5 ? 1 : 2;
}

/**
 * Documents with any of the text's tokens, stopwords aside, within its allowed distance in any search
 * field (contract 5.2). The query language has no meaning here. If `id` is a search field, it matches
 * where it equals the whole text or one of its words.
 */
export function compileFuzzy(text: string, index: SearchedIndex): QueryAst {
  const all = tokensOf(index.analyzer, text);
  const tokens = stopWordSetOf(index)?.without(all, text) ?? all;
  if (tokens.length === 0) return { kind: "match_none" };
  const searchFields = searchFieldsOf(index.schema);
  const fields = searchFields
    .filter(({ field }) => field.kind === "text")
    .map(({ field, weight }) => ({ field: field.name, boost: weight }));
  const asts: QueryAst[] = [];
  if (fields.length > 0) {
    for (const token of tokens) {
      asts.push({ kind: "fuzzy", term: token.text, maxDistance: allowedDistance(token.text), fields });
    }
  }
  for (const { field, weight } of searchFields) {
    if (field.kind !== "identifier") continue;
    const values = [...new Set([text.trim(), ...text.trim().split(/\s+/)])];
    asts.push(boosted({ kind: "value_set", field: field.name, values }, weight));
  }
  return anyOf(asts);
}
