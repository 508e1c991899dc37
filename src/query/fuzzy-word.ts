import type { Token } from "../analysis/analyzer.js";
import type { AstRow, QueryAst } from "./query-ast.js";

/**
 * Documents with a token's word, with typos of what is written, or with its stem.
 *
 * @param isAlone whether it is the only word that is asked for
 * @param begun what it begins with, if it is still being typed
 * @param rows what else it may be written as
 * @param rowsComeBefore from how many edits on these come before other words
 */
export function fuzzyWord(
  { text, word }: Token,
  {
    maxDistance,
    fields,
    isAlone,
    begun,
    rows = [],
    rowsComeBefore,
  }: {
    readonly maxDistance: 0 | 1 | 2;
    readonly fields: readonly { readonly field: string; readonly boost: number }[];
    readonly isAlone: boolean;
    readonly begun?: { readonly prefix: string; readonly maxDistance: 0 | 1 | 2 };
    readonly rows?: readonly AstRow[];
    readonly rowsComeBefore?: 1 | 2 | undefined;
  },
): QueryAst {
  return {
    kind: "fuzzy",
    term: word,
    ...(text !== word && { stem: { term: text, ranksBelow: isAlone } }),
    maxDistance,
    ...(begun && { begun }),
    ...(rows.length > 0 && { rows, ...(rowsComeBefore && { rowsComeBefore }) }),
    fields,
  };
}
