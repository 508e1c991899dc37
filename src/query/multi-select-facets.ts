import type { QueryAst } from "./query-ast.js";

const EVERYTHING: QueryAst = { kind: "match_all" };

/**
 * The query as it would be had nothing been chosen in a facet field: what must hold and concerns that
 * field alone holds for every document instead. For the counts of a multi-select list, where choosing
 * one value must not make the others vanish.
 */
export function withoutFilterOn(field: string, ast: QueryAst): QueryAst {
  if (concernsOnly(field, ast)) return EVERYTHING;
  if (ast.kind !== "boolean") return ast;
  return {
    ...ast,
    clauses: ast.clauses.map((clause) => {
      if (clause.occur !== "must" && clause.occur !== "filter") return clause;
      // Still a clause, so that should clauses beside it stay optional.
      if (concernsOnly(field, clause.ast)) return { occur: "filter", ast: EVERYTHING };
      return { occur: clause.occur, ast: withoutFilterOn(field, clause.ast) };
    }),
  };
}

function concernsOnly(field: string, ast: QueryAst): boolean {
  switch (ast.kind) {
    case "boolean":
      return ast.clauses.length > 0 && ast.clauses.every((clause) => concernsOnly(field, clause.ast));
    case "boost":
    case "constant_score":
      return concernsOnly(field, ast.ast);
    // Words are searched for, also in a flat facet that is a search field.
    case "term":
    case "phrase":
    case "prefix":
      return false;
    default:
      return "field" in ast && ast.field === field;
  }
}
