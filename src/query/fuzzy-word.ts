import type { Token } from "../analysis/analyzer.js";
import type { QueryAst } from "./query-ast.js";

/**
 * Documents with a token's word, with typos of what is written, or with its stem.
 *
 * @param isAlone whether it is the only word that is asked for
 * @param begun what it begins with, if it is still being typed
 */
export function fuzzyWord(
  { text, word }: Token,
  {
    maxDistance,
    fields,
    isAlone,
    begun,
  }: {
    readonly maxDistance: 0 | 1 | 2;
    readonly fields: readonly { readonly field: string; readonly boost: number }[];
    readonly isAlone: boolean;
    readonly begun?: { readonly prefix: string; readonly maxDistance: 0 | 1 | 2 };
  },
): QueryAst {
  return {
    kind: "fuzzy",
    term: word,
    ...(text !== word && { stem: { term: text, ranksBelow: isAlone } }),
    maxDistance,
    ...(begun && { begun }),
    fields,
  };
}
