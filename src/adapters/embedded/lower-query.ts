import type { CollectionStatistics, Query } from "../../engine/index.js";
import type { AstClause, QueryAst } from "../../query/query-ast.js";

/** Lowers a query to the engine's terms. The two trees are alike; only what depends on statistics is decided here. */
export function lowerQuery(ast: QueryAst, statistics: CollectionStatistics): Query {
  switch (ast.kind) {
    case "boolean":
      return {
        kind: "boolean",
        clauses: ast.clauses.map((clause) => ({
          occur: lowerOccur(clause, statistics),
          query: lowerQuery(clause.ast, statistics),
        })),
        ...(ast.minimumShouldMatch === undefined ? {} : { minimumShouldMatch: ast.minimumShouldMatch }),
      };
    case "boost":
      return { kind: "boost", query: lowerQuery(ast.ast, statistics), factor: ast.factor };
    case "constant_score":
      return { kind: "constant_score", query: lowerQuery(ast.ast, statistics), score: ast.score };
    default:
      return ast;
  }
}

function lowerOccur(
  clause: AstClause,
  statistics: CollectionStatistics,
): "must" | "should" | "must_not" | "filter" {
  if (clause.occur !== "must_if_present") return clause.occur;
  return occurs(clause.ast, statistics) ? "must" : "should";
}

/** Whether any term of the query occurs in a live document; true for what has no terms. */
function occurs(ast: QueryAst, statistics: CollectionStatistics): boolean {
  switch (ast.kind) {
    case "term":
      return statistics.docFreq(ast.field, ast.term) > 0;
    case "phrase":
      // A word that analysis cuts into several tokens: it occurs only if all of them do.
      return ast.terms.every(({ term }) => statistics.docFreq(ast.field, term) > 0);
    case "boolean":
      return ast.clauses.some((clause) => clause.occur !== "must_not" && occurs(clause.ast, statistics));
    case "boost":
    case "constant_score":
      return occurs(ast.ast, statistics);
    case "match_none":
      return false;
    default:
      return true;
  }
}
