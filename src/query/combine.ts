import type { QueryAst } from "./query-ast.js";

/** Documents that match any of the parts. */
export function anyOf(asts: readonly QueryAst[]): QueryAst {
  if (asts.length === 1) return asts[0]!;
  if (asts.length === 0) return { kind: "match_none" };
  return { kind: "boolean", clauses: asts.map((ast) => ({ occur: "should", ast })) };
}

/** All documents but the matches. */
export function complementOf(ast: QueryAst): QueryAst {
  return { kind: "boolean", clauses: [{ occur: "must_not", ast }] };
}

/** The part with its score multiplied. */
export function boosted(ast: QueryAst, factor: number): QueryAst {
  return factor === 1 ? ast : { kind: "boost", ast, factor };
}
