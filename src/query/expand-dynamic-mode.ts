import { tokensOf } from "../analysis/analyzer.js";
import { compileFuzzy } from "./compile-fuzzy.js";
import type { AstClause, QueryAst } from "./query-ast.js";
import { unfieldedAst } from "./search-fields.js";
import { type SearchedIndex, stopWordSetOf } from "./searched-index.js";

/** Contract 5.2, "dynamic": the number of words, stopwords aside, decides how exact the search is. */
export function expandDynamicMode(text: string, index: SearchedIndex): QueryAst {
  const words = contentWords(text, index);
  const [first, second, third] = words;
  const whole = compileFuzzy(words.join(" "), index);
  if (first === undefined || words.length > 3) return whole;
  const exactly = (word: string): QueryAst =>
    unfieldedAst(index, { text: word, slop: 0, isPrefix: false }) ?? { kind: "match_none" };
  if (second === undefined) return exactly(first);
  const clauses: AstClause[] =
    third === undefined
      ? [
          { occur: "should", ast: whole },
          { occur: "must", ast: exactly(first) },
          { occur: "must", ast: compileFuzzy(second, index) },
        ]
      : [
          { occur: "should", ast: whole },
          { occur: "must_if_present", word: first, ast: exactly(first) },
          { occur: "must_if_present", word: second, ast: exactly(second) },
          { occur: "should", ast: compileFuzzy(third, index) },
        ];
  return { kind: "boolean", clauses };
}

/** The white-space separated words that hold a token which is no stopword. */
function contentWords(text: string, index: SearchedIndex): string[] {
  const stopWords = stopWordSetOf(index);
  return text.split(/\s+/).filter((word) => {
    const tokens = tokensOf(index.analyzer, word);
    return (stopWords?.without(tokens, word) ?? tokens).length > 0;
  });
}
