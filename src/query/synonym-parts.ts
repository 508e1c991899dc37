import type { Token } from "../analysis/analyzer.js";
import { runOf } from "../analysis/synonym-map.js";
import { anyOf } from "./combine.js";
import type { QueryAst } from "./query-ast.js";
import type { SearchedIndex } from "./searched-index.js";

/**
 * The words of a fuzzy text, each one as `wordAst` says, and what synonyms add to them (contract 5.3).
 * Keys are looked for among all tokens, stopwords too. Keys that overlap, and all the tokens they
 * cover, make one part.
 *
 * @param wordAst null for a word that isn't searched itself
 */
export function synonymParts(
  tokens: readonly Token[],
  index: SearchedIndex,
  fields: readonly { readonly field: string; readonly boost: number }[],
  wordAst: (token: Token) => QueryAst | null,
): QueryAst[] {
  const occurrences = fields.length === 0 ? [] : (index.synonyms?.occurrences(tokens) ?? []);
  const parts: QueryAst[] = [];
  let at = 0;
  for (let next = 0; at < tokens.length; ) {
    const alternatives = [];
    const start = at;
    let end = at + 1;
    for (; next < occurrences.length && occurrences[next]!.start < end; next++) {
      const { start: keyStart, end: keyEnd, terms } = occurrences[next]!;
      alternatives.push({ key: runOf(tokens.slice(keyStart, keyEnd)), terms });
      end = Math.max(end, keyEnd);
    }
    const words = tokens
      .slice(start, end)
      .map(wordAst)
      .filter((ast) => ast !== null);
    const ast = anyOf(words);
    if (alternatives.length > 0) parts.push({ kind: "synonyms", ast, alternatives, fields });
    else if (words.length > 0) parts.push(ast);
    at = end;
  }
  return parts;
}
