import { type Token, tokensOf } from "../analysis/analyzer.js";
import { joinedWords } from "../analysis/joined-words.js";
import { anyOf, boosted } from "./combine.js";
import { fuzzyWord } from "./fuzzy-word.js";
import { hasWords } from "./queried-field.js";
import type { QueryAst } from "./query-ast.js";
import { searchFieldsOf } from "./search-fields.js";
import { type SearchedIndex, stopWordSetOf } from "./searched-index.js";
import { synonymParts } from "./synonym-parts.js";

/**
 * Weight of a word's parts in a row beside the parts themselves: enough to tell a code from others with the
 * same parts, and little enough to leave compounds such as `high-speed` to their words (docs/relevance.md).
 */
const JOINED_WEIGHT = 0.25;

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
 * field (contract 5.2), or with a synonym of them, which needs no token that isn't a stopword. The query
 * language has no meaning here. What is written without white space, such as a code, scores more where
 * it stands as it is written. If `id` is a search field, it matches where it equals the whole text or
 * one of its words.
 *
 * @param identifier the text in which identifiers are looked for, if not all of it
 * @param isWhole whether it is all that is asked for, and not a part of a longer query
 */
export function compileFuzzy(
  text: string,
  index: SearchedIndex,
  identifier: string = text,
  isWhole: boolean = true,
): QueryAst {
  const all = tokensOf(index.analyzer, text);
  const kept = new Set(stopWordSetOf(index)?.without(all, text) ?? all);
  const searchFields = searchFieldsOf(index.schema);
  const fields = searchFields
    .filter(({ field }) => hasWords(field))
    .map(({ field, weight }) => ({ field: field.name, boost: weight }));
  const asts = synonymParts(all, index, fields, (token) =>
    kept.has(token) && fields.length > 0
      ? fuzzyWord(token, {
          maxDistance: allowedDistance(token.word),
          fields,
          isAlone: isWhole && kept.size === 1,
        })
      : null,
  );
  if (kept.size === 0) return anyOf(asts);
  // A code is several words to the index: documents that hold them side by side are what was meant.
  for (const tokens of joinedWords(all, text)) {
    if (tokens.some((token) => kept.has(token)))
      asts.push(...fields.map((field) => joinedAst(tokens, field)));
  }
  for (const { field, weight } of searchFields) {
    if (field.kind !== "identifier") continue;
    const whole = identifier.trim();
    const values = [...new Set([whole, ...whole.split(/\s+/)])];
    asts.push(boosted({ kind: "value_set", field: field.name, values }, weight));
  }
  return anyOf(asts);
}

/** One field's documents with the tokens in a row. They match through one of the tokens anyway; this adds to their score. */
function joinedAst(
  tokens: readonly Token[],
  { field, boost }: { readonly field: string; readonly boost: number },
): QueryAst {
  const [first] = tokens;
  const terms = tokens.map(({ text, position }) => ({ term: text, position: position - first!.position }));
  return boosted({ kind: "phrase", field, terms, slop: 0, lastIsPrefix: false }, boost * JOINED_WEIGHT);
}
