import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printSyntaxTree } from "../../tests/query-kit/print-syntax-tree.js";
import { sampleIndex } from "../../tests/query-kit/sample-index.js";
import { syntaxTreeArbitrary } from "../../tests/query-kit/syntax-tree-arbitrary.js";
import { compileExact } from "./compile-exact.js";
import type { QueryAst } from "./query-ast.js";
import type { SyntaxList, SyntaxNode, SyntaxText } from "./syntax-tree.js";

// Goal: operators, exclusions, groups and dropped stopwords select the documents that contract 5.5 says.
// Method: 64 documents, one for every way to spread three words over two fields, as the bits of a
// bigint. The contract's sentences are applied to the syntax tree as set algebra, and the compiled
// query is evaluated by the boolean rules of the engine's interface; both must give the same set.
const WORDS = ["v", "w", "x"];
const FIELDS = ["title", "body"];
const EVERY = (1n << 64n) - 1n;

function documentsWith(field: string, word: string): bigint {
  const bit = FIELDS.indexOf(field) * WORDS.length + WORDS.indexOf(word);
  let set = 0n;
  for (let document = 0; document < 64; document++) if ((document >> bit) & 1) set |= 1n << BigInt(document);
  return set;
}

describe("compileExact", () => {
  const index = sampleIndex();
  const tree = syntaxTreeArbitrary({
    field: fc.constantFrom(...FIELDS),
    text: fc.constantFrom(...WORDS, ...WORDS, "the"),
    withFilters: false,
    depthMax: 3,
  });

  test("selects what the contract's set algebra selects", () => {
    fc.assert(
      fc.property(tree, (syntaxTree) => {
        const query = printSyntaxTree(syntaxTree);
        expect(evaluate(compileExact(query, index)), query).toBe(listSet(syntaxTree, null) ?? 0n);
      }),
      { numRuns: 3000 },
    );
  });
});

/** Null: nothing remains of the list. */
function listSet(list: SyntaxList, within: string | null): bigint | null {
  const everyItem = list.items.map((item, i) => ({
    node: item.node,
    isOperand: item.followsOr || (i === 0 && list.items.length > 1 && list.items[1]!.followsOr),
  }));
  const sets = (nodes: readonly SyntaxNode[]): bigint[] =>
    nodes.map((node) => nodeSet(node, within)).filter((set) => set !== null);
  const removed = sets(
    everyItem.flatMap(({ node, isOperand }) => (node.kind === "not" && !isOperand ? [node.operand] : [])),
  );
  const required = sets(
    everyItem.filter(({ node, isOperand }) => node.kind === "required" && !isOperand).map(({ node }) => node),
  );
  const plain = sets(
    everyItem
      .filter(({ node, isOperand }) => isOperand || (node.kind !== "not" && node.kind !== "required"))
      .map(({ node }) => node),
  );
  if (removed.length + required.length + plain.length === 0) return null;
  const union = plain.reduce((left, right) => left | right, 0n);
  const base =
    required.length > 0 ? required.reduce((left, right) => left & right) : plain.length > 0 ? union : EVERY;
  return removed.reduce((rest, set) => rest & ~set, base) & EVERY;
}

function nodeSet(node: SyntaxNode, within: string | null): bigint | null {
  switch (node.kind) {
    case "list":
      return listSet(node, within);
    case "group":
      return listSet(node.list, node.field?.name ?? within);
    case "and": {
      const sets = node.operands.map((operand) => nodeSet(operand, within)).filter((set) => set !== null);
      return sets.length === 0 ? null : sets.reduce((left, right) => left & right);
    }
    case "not": {
      const set = nodeSet(node.operand, within);
      return set === null ? null : EVERY & ~set;
    }
    case "required":
    case "boost":
      return nodeSet(node.operand, within);
    case "star": {
      if (within === null) return EVERY;
      return WORDS.map((word) => documentsWith(within, word)).reduce((left, right) => left | right);
    }
    case "phrase":
      return textSet([node.phrase], node.field?.name ?? within);
    case "words":
      return textSet(node.words, node.field?.name ?? within);
    default:
      throw new Error(`not generated: ${node.kind}`);
  }
}

function textSet(texts: readonly SyntaxText[], field: string | null): bigint | null {
  const kept = texts.filter(({ text }) => text !== "the");
  if (kept.length === 0) return null;
  const fields = field === null ? FIELDS : [field];
  return kept
    .flatMap(({ text }) => fields.map((of) => documentsWith(of, text)))
    .reduce((left, right) => left | right);
}

/** By the doc comments of the engine's queries. */
function evaluate(ast: QueryAst): bigint {
  switch (ast.kind) {
    case "match_all":
      return EVERY;
    case "match_none":
      return 0n;
    case "term":
      return documentsWith(ast.field, ast.term);
    case "exists":
      return WORDS.map((word) => documentsWith(ast.field, word)).reduce((left, right) => left | right);
    case "boost":
      return evaluate(ast.ast);
    case "boolean": {
      const of = (occur: string): bigint[] =>
        ast.clauses.filter((clause) => clause.occur === occur).map((clause) => evaluate(clause.ast));
      const must = of("must");
      const should = of("should");
      const base =
        must.length > 0
          ? must.reduce((left, right) => left & right)
          : should.length > 0
            ? should.reduce((left, right) => left | right)
            : EVERY;
      return of("must_not").reduce((rest, set) => rest & ~set, base) & EVERY;
    }
    default:
      throw new Error(`not expected: ${ast.kind}`);
  }
}
