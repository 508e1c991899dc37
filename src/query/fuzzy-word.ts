import type { Token } from "../analysis/analyzer.js";
import type { QueryAst } from "./query-ast.js";

/**
 * Documents with a token's word, with typos of what is written, or with its stem.
 *
 * @param isAlone whether it is the only word that is asked for
 */
export function fuzzyWord(
  { text, word }: Token,
  {
    maxDistance,
    fields,
    isAlone,
  }: {
    readonly maxDistance: 0 | 1 | 2;
    readonly fields: readonly { readonly field: string; readonly boost: number }[];
    readonly isAlone: boolean;
  },
): QueryAst {
  if (text === word) return { kind: "fuzzy", term: word, maxDistance, fields };
  return { kind: "fuzzy", term: word, stem: { term: text, ranksBelow: isAlone }, maxDistance, fields };
}
