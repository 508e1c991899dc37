import { type Token, tokensOf } from "../analysis/analyzer.js";
import { withMovedFinal } from "../analysis/korean-beginnings.js";
import { isStemTerm } from "../analysis/stem-terms.js";
import { anyOf, boosted } from "./combine.js";
import { fuzzyWord } from "./fuzzy-word.js";
import { hasWords } from "./queried-field.js";
import type { QueryAst } from "./query-ast.js";
import { identifierAst, searchFieldsOf, unfieldedAst } from "./search-fields.js";
import type { SearchedIndex } from "./searched-index.js";
import type { SyntaxNode, SyntaxText } from "./syntax-tree.js";

/** Weight of words that a Korean beginning stands for only if its last consonant goes over to the next syllable. */
const MOVED_FINAL_WEIGHT = 0.5;

/** Whether the text stops in the middle of a word, as all do that no white space ends: it is still being typed. */
export function endsInWord(text: string): boolean {
  return /\S$/u.test(text);
}

/** The token that is still being typed: the one at the very end, what joins on to it aside. Null: none is. */
export function typedToken(tokens: readonly Token[], text: string): Token | null {
  const last = tokens.at(-1);
  return last === undefined || !endsInWord(text) || /\s/u.test(text.slice(last.end)) ? null : last;
}

/**
 * Edits that the beginning of a word may be away from what has been typed of it, by its length in code
 * points. Stricter than for whole words: a beginning fits far more words.
 */
export function allowedPrefixDistance(typed: string): 0 | 1 | 2 {
  const length = [...typed].length;
  if (length < 5) return 0;
  return length < 9 ? 1 : 2;
}

/**
 * Documents with a word that begins like the one being typed, in any of the fields; those that hold
 * the word itself score more. Null if the text is not a single token: then it is no word to go on with.
 *
 * @param fields text fields with their boosts; the search fields unless given
 */
export function typedWordAst(
  index: SearchedIndex,
  text: string,
  fields: readonly { readonly field: string; readonly boost: number }[] = textSearchFields(index),
): QueryAst | null {
  const [token, second] = tokensOf(index.analyzer, text);
  if (token === undefined || second !== undefined) return null;
  if (fields.length === 0) return { kind: "match_none" };
  const { text: term, word } = token;
  // An index of old analysis holds stems alone, which may be shorter than what has been typed.
  const prefixes = new Set(isStemTerm(term) ? [word] : [word, term]);
  const moved = withMovedFinal(word);
  return anyOf([
    fuzzyWord(token, { maxDistance: 0, fields, isAlone: false }),
    ...[...prefixes].map(
      (prefix): QueryAst => ({
        kind: "fuzzy_prefix",
        prefix,
        maxDistance: allowedPrefixDistance(prefix),
        fields,
      }),
    ),
    ...(moved === null
      ? []
      : [boosted({ kind: "fuzzy_prefix", prefix: moved, maxDistance: 0, fields }, MOVED_FINAL_WEIGHT)]),
  ]);
}

/** As `typedWordAst`, for a word that belongs to no field; identifiers too are matched by their beginning. */
export function typedUnfieldedAst(index: SearchedIndex, text: string): QueryAst {
  const written = { text, slop: 0, isPrefix: true };
  const typed = typedWordAst(index, text);
  if (typed === null) return unfieldedAst(index, written) ?? { kind: "match_none" };
  const identifiers = searchFieldsOf(index.schema).flatMap(({ field, weight }) =>
    field.kind === "identifier" ? [boosted(identifierAst(field, written), weight)] : [],
  );
  return anyOf([typed, ...identifiers]);
}

/** The bare word that a query string ends in, if what is written last is one. */
export function lastBareWord(node: SyntaxNode): SyntaxText | null {
  switch (node.kind) {
    case "list": {
      const last = node.items.at(-1);
      return last === undefined ? null : lastBareWord(last.node);
    }
    case "and": {
      const last = node.operands.at(-1);
      return last === undefined ? null : lastBareWord(last);
    }
    case "required":
      return lastBareWord(node.operand);
    case "words": {
      const last = node.words.at(-1);
      return last === undefined || last.isQuoted || last.isPrefix ? null : last;
    }
    default:
      return null;
  }
}

function textSearchFields(index: SearchedIndex): { readonly field: string; readonly boost: number }[] {
  return searchFieldsOf(index.schema)
    .filter(({ field }) => hasWords(field))
    .map(({ field, weight }) => ({ field: field.name, boost: weight }));
}
