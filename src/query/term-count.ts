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
    `the query looks up ${count} terms, every word counted in each field that it is searched in; at most ${termsMax} are allowed`,
  );
}

/** What has to be looked up: each word once for each of its fields, each set, range or path once. */
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
      return ast.terms.length;
    case "fuzzy":
    case "fuzzy_prefix":
      return ast.fields.length;
    default:
      return 1;
  }
}
