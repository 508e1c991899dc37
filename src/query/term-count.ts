import { FindlingError } from "../errors/index.js";
import type { QueryAst } from "./query-ast.js";

/**
 * Refuses a query that would look up more terms than that: what a search costs grows with them, and a
 * body of two mebibytes has room for hundreds of thousands, minutes of work.
 *
 * @throws FindlingError `invalid_request`
 */
export function requireTermCount(ast: QueryAst, termsMax: number): void {
  const count = termCountOf(ast);
  if (count <= termsMax) return;
  throw new FindlingError(
    "invalid_request",
    `the query looks up ${count} terms, every word counted in each field that it is searched in, a prefix as ${MANY_WORDS} words; at most ${termsMax} are allowed`,
  );
}

/** Words that a part which stands for many words counts as: it costs about as much as so many fuzzy ones. */
const MANY_WORDS = 8;

/**
 * What has to be looked up: each word once for each of its fields, each set, range of values or path
 * once, each prefix and range of words as several words.
 */
export function termCountOf(ast: QueryAst): number {
  switch (ast.kind) {
    case "match_all":
    case "match_none":
      return 0;
    case "boolean":
      return ast.clauses.reduce((count, clause) => count + termCountOf(clause.ast), 0);
    case "boost":
    case "constant_score":
      return termCountOf(ast.ast);
    case "phrase":
      return ast.terms.length + (ast.lastIsPrefix ? MANY_WORDS - 1 : 0);
    case "prefix":
    case "value_prefix":
    case "term_range":
      return MANY_WORDS;
    case "synonyms": {
      const tokens = ast.alternatives.reduce(
        (count, { key, terms }) => count + key.length + terms.reduce((sum, term) => sum + term.length, 0),
        0,
      );
      return termCountOf(ast.ast) + tokens * ast.fields.length;
    }
    case "words":
      // What two words make together is looked up once beside them.
      return ast.readings.reduce(
        (count, { ast: own, slips, counts }) =>
          count + (slips === undefined && counts !== "nearness" ? termCountOf(own) : 0),
        0,
      );
    case "fuzzy":
    case "fuzzy_prefix":
      return ast.fields.length;
    default:
      return 1;
  }
}
