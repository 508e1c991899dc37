import type { SearchClause } from "../contract/search.js";
import { FindlingError } from "../errors/index.js";
import { parseQueryString } from "./parser.js";
import type { SyntaxNode } from "./syntax-tree.js";

/** Levels that a query may have to be looked into; deeper ones no person has typed. */
const DEPTH_MAX = 64;

/**
 * Which clause of a search holds what a person typed: the first fuzzy or dynamic one, else the first exact one that is
 * more than filters on fields, else the first. −1 without clauses.
 */
export function typedClauseIndex(clauses: readonly SearchClause[]): number {
  const plain = clauses.findIndex(({ mode }) => mode !== "exact");
  if (plain >= 0 || clauses.length <= 1) return plain >= 0 ? plain : clauses.length - 1;
  return Math.max(
    0,
    clauses.findIndex(({ ctx }) => !isFilter(ctx)),
  );
}

/** Whether all of a query string is about named fields. */
function isFilter(ctx: string): boolean {
  try {
    // Of all ways to write a value, the one that allows what each other does.
    return namesFields(parseQueryString(ctx, { valueSyntax: () => "datetime_word", depthMax: DEPTH_MAX }));
  } catch (error) {
    if (error instanceof FindlingError) return false;
    throw error;
  }
}

function namesFields(node: SyntaxNode): boolean {
  switch (node.kind) {
    case "list":
      return node.items.every((item) => namesFields(item.node));
    case "and":
      return node.operands.every(namesFields);
    case "not":
    case "required":
    case "boost":
      return namesFields(node.operand);
    case "group":
      return node.field !== null || namesFields(node.list);
    case "star":
    case "set":
    case "range":
      return true;
    case "phrase":
    case "words":
      return node.field !== null;
  }
}
