import type { Query, Searcher } from "../../engine/index.js";
import type { AstClause, QueryAst } from "../../query/query-ast.js";

/** What the index holds, for the one decision that depends on it: a searcher, or several as one. */
export type IndexContents = Pick<Searcher, "docFreq" | "count">;

/** Lowers a query to the engine's terms. The two trees are alike; only what depends on contents is decided here. */
export function lowerQuery(ast: QueryAst, contents: IndexContents): Query {
  switch (ast.kind) {
    case "boolean":
      return {
        kind: "boolean",
        clauses: ast.clauses.map((clause) => ({
          occur: lowerOccur(clause, contents),
          query: lowerQuery(clause.ast, contents),
        })),
        ...(ast.minimumShouldMatch === undefined ? {} : { minimumShouldMatch: ast.minimumShouldMatch }),
      };
    case "boost":
      return { kind: "boost", query: lowerQuery(ast.ast, contents), factor: ast.factor };
    case "constant_score":
      return { kind: "constant_score", query: lowerQuery(ast.ast, contents), score: ast.score };
    default:
      return ast;
  }
}

function lowerOccur(clause: AstClause, contents: IndexContents): "must" | "should" | "must_not" | "filter" {
  if (clause.occur !== "must_if_present") return clause.occur;
  return occurs(clause.ast, contents) ? "must" : "should";
}

/**
 * Whether any live document has the word that the query looks for, in any of its fields (contract
 * 5.2). A word that is one token has its documents counted already; what else a word can become, an
 * identifier or several tokens in a row, is looked up.
 */
function occurs(ast: QueryAst, contents: IndexContents): boolean {
  switch (ast.kind) {
    case "term":
      return contents.docFreq(ast.field, ast.term) > 0;
    case "boolean":
      return ast.clauses.some((clause) => clause.occur !== "must_not" && occurs(clause.ast, contents));
    case "boost":
    case "constant_score":
      return occurs(ast.ast, contents);
    default:
      return contents.count(lowerQuery(ast, contents)) > 0;
  }
}
