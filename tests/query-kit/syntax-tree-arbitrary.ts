import fc from "fast-check";
import type {
  SyntaxField,
  SyntaxList,
  SyntaxListItem,
  SyntaxNode,
  SyntaxText,
} from "../../src/query/syntax-tree.js";

/** What trees are made of. */
export interface TreeParts {
  /** Fields that take a run of words. */
  readonly field: fc.Arbitrary<string>;
  /** Text of words and phrases, never empty. */
  readonly text: fc.Arbitrary<string>;
  /** Whether sets, ranges and existence are among the parts. */
  readonly withFilters: boolean;
  readonly depthMax: number;
}

/** Trees as the parser gives them, every position 0. */
export function syntaxTreeArbitrary(parts: TreeParts): fc.Arbitrary<SyntaxList> {
  return listArbitrary(parts, parts.depthMax, 0);
}

function listArbitrary(parts: TreeParts, depth: number, minLength: number): fc.Arbitrary<SyntaxList> {
  const item = fc.record({ followsOr: fc.boolean(), node: conjunctionArbitrary(parts, depth) });
  return fc
    .array(item, { minLength, maxLength: 4 })
    .map((items) => ({ kind: "list", items: separated(items) }));
}

/** Bare words after a run of words would be part of the run, unless OR stands between. */
function separated(items: readonly SyntaxListItem[]): SyntaxListItem[] {
  return items.map((item, i) => {
    if (i === 0) return { ...item, followsOr: false };
    return endsWithRun(items[i - 1]!.node) && startsBare(item.node) ? { ...item, followsOr: true } : item;
  });
}

function endsWithRun(node: SyntaxNode): boolean {
  return node.kind === "and" ? endsWithRun(node.operands.at(-1)!) : node.kind === "words";
}

function startsBare(node: SyntaxNode): boolean {
  if (node.kind === "and") return startsBare(node.operands[0]!);
  if (node.kind === "boost") return startsBare(node.operand);
  return node.kind === "words" && node.field === null;
}

function conjunctionArbitrary(parts: TreeParts, depth: number): fc.Arbitrary<SyntaxNode> {
  const clause = clauseArbitrary(parts, depth);
  return fc.oneof(
    { arbitrary: clause, weight: 3 },
    {
      arbitrary: fc
        .array(clause, { minLength: 2, maxLength: 3 })
        .map((operands): SyntaxNode => ({ kind: "and", operands })),
      weight: 1,
    },
  );
}

function clauseArbitrary(parts: TreeParts, depth: number): fc.Arbitrary<SyntaxNode> {
  const lone = boostedArbitrary(parts, depth, 1);
  const not = (operand: SyntaxNode): SyntaxNode => ({ kind: "not", operand });
  const required = (operand: SyntaxNode): SyntaxNode => ({ kind: "required", operand });
  return fc.oneof(
    { arbitrary: boostedArbitrary(parts, depth, 3), weight: 4 },
    { arbitrary: lone.map(not), weight: 2 },
    { arbitrary: lone.map(required), weight: 1 },
    { arbitrary: lone.map((operand) => not(not(operand))), weight: 1 },
    { arbitrary: lone.map((operand) => not(required(operand))), weight: 1 },
  );
}

function boostedArbitrary(parts: TreeParts, depth: number, wordsMax: number): fc.Arbitrary<SyntaxNode> {
  const primary = primaryArbitrary(parts, depth, wordsMax);
  return fc.oneof(
    { arbitrary: primary, weight: 4 },
    {
      arbitrary: fc
        .tuple(primary, fc.nat({ max: 40 }))
        .map(([operand, quarters]): SyntaxNode => ({ kind: "boost", operand, factor: quarters / 4 })),
      weight: 1,
    },
  );
}

function primaryArbitrary(parts: TreeParts, depth: number, wordsMax: number): fc.Arbitrary<SyntaxNode> {
  const name = parts.field.map((text): SyntaxField => ({ name: text, position: 0 }));
  const field = fc.option(name, { nil: null });
  const text = (isQuoted: boolean, slop: number, isPrefix: boolean): fc.Arbitrary<SyntaxText> =>
    parts.text.map((written) => ({ text: written, position: 0, isQuoted, slop, isPrefix }));
  const word = fc.oneof(
    text(false, 0, false),
    parts.withFilters ? text(false, 0, true) : text(false, 0, false),
  );
  const phrase = parts.withFilters
    ? fc.oneof(text(true, 0, false), text(true, 3, false), text(true, 0, true))
    : text(true, 0, false);
  const words = fc
    .tuple(field, fc.array(word, { minLength: 1, maxLength: wordsMax }))
    .map(([of, run]): SyntaxNode => ({ kind: "words", field: of, words: run }));
  const choices: fc.Arbitrary<SyntaxNode>[] = [
    words,
    words,
    fc
      .tuple(field, phrase)
      .map(([of, quoted]): SyntaxNode => ({ kind: "phrase", field: of, phrase: quoted })),
    fc.constant<SyntaxNode>({ kind: "star", field: null }),
  ];
  if (depth > 0) {
    choices.push(
      fc
        .tuple(field, listArbitrary(parts, depth - 1, 1))
        .map(([of, list]): SyntaxNode => ({ kind: "group", field: of, list })),
    );
  }
  if (parts.withFilters) {
    const bare = text(false, 0, false);
    const bound = fc.option(
      fc.record({ value: fc.oneof(bare, text(true, 0, false)), inclusive: fc.boolean() }),
      {
        nil: null,
      },
    );
    choices.push(
      name.map((of): SyntaxNode => ({ kind: "star", field: of })),
      fc
        .tuple(name, fc.array(fc.oneof(bare, phrase), { maxLength: 3 }))
        .map(([of, items]): SyntaxNode => ({ kind: "set", field: of, items })),
      fc
        .tuple(name, bound, bound)
        .map(([of, lower, upper]): SyntaxNode => ({ kind: "range", field: of, lower, upper })),
    );
  }
  return fc.oneof(...choices);
}
