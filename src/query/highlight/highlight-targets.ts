import { wordParts } from "../../analysis/word-parts.js";
import type { AstBound, AstRow, FuzzyAst, QueryAst } from "../query-ast.js";

/** A phrase as the query asks for it. */
export interface PhraseTarget {
  readonly terms: readonly { readonly term: string; readonly position: number }[];
  readonly slop: number;
  readonly lastIsPrefix: boolean;
}

/** A word that is looked for with typos. */
export interface FuzzyTarget {
  readonly word: string;
  /** Whether any term that begins like it will do. */
  readonly isPrefix: boolean;
  readonly maxDistance: 0 | 1 | 2;
  /** Whether it is found where it differs by folding alone, however many letters that changes. */
  readonly mayFold: boolean;
  /** What is as near as the word itself; null: nothing is. */
  readonly stem: string | null;
  /** Where it is looked for: the nearest variant in any of them decides which variants count. */
  readonly fields: readonly string[];
}

/** What a query looks for in one text field, for finding it again in the field's text. */
export interface HighlightTargets {
  readonly terms: Set<string>;
  readonly prefixes: Set<string>;
  readonly ranges: { readonly lower: AstBound<string> | null; readonly upper: AstBound<string> | null }[];
  readonly phrases: PhraseTarget[];
  readonly fuzzy: FuzzyTarget[];
}

/** By text field: what a document may match the query through. What it must not match is left out. */
export function highlightTargets(ast: QueryAst): Map<string, HighlightTargets> {
  const byField = new Map<string, HighlightTargets>();
  collect(ast, byField);
  return byField;
}

function collect(ast: QueryAst, byField: Map<string, HighlightTargets>): void {
  switch (ast.kind) {
    case "term":
      targetsOf(byField, ast.field).terms.add(ast.term);
      return;
    case "prefix":
      targetsOf(byField, ast.field).prefixes.add(ast.prefix);
      return;
    case "term_range":
      targetsOf(byField, ast.field).ranges.push(ast);
      return;
    case "phrase":
      targetsOf(byField, ast.field).phrases.push(ast);
      return;
    case "fuzzy":
    case "fuzzy_prefix": {
      const fields = ast.fields.map(({ field }) => field);
      const isPrefix = ast.kind === "fuzzy_prefix";
      const target = {
        word: isPrefix ? ast.prefix : ast.term,
        isPrefix,
        maxDistance: ast.maxDistance,
        mayFold: ast.maxDistance > 0,
        stem: ast.kind === "fuzzy" ? (ast.stem?.term ?? null) : null,
        fields,
      };
      for (const field of fields) targetsOf(byField, field).fuzzy.push(target);
      if (ast.kind === "fuzzy") collectRows(rowsOf(ast), fields, byField);
      if (ast.kind === "fuzzy" && ast.begun !== undefined) {
        const { prefix: word, maxDistance } = ast.begun;
        const begun = { word, stem: null, isPrefix: true, maxDistance, mayFold: ast.maxDistance > 0, fields };
        for (const field of fields) targetsOf(byField, field).fuzzy.push(begun);
      }
      return;
    }
    case "words":
      for (const { ast: reading, counts } of ast.readings)
        if (counts !== "nearness") collect(reading, byField);
      return;
    case "synonyms":
      collect(ast.ast, byField);
      for (const { field } of ast.fields) {
        for (const { terms } of ast.alternatives) {
          for (const term of terms) collect(exactly(field, term), byField);
        }
      }
      return;
    case "boolean":
      for (const clause of ast.clauses) if (clause.occur !== "must_not") collect(clause.ast, byField);
      return;
    case "boost":
    case "constant_score":
      collect(ast.ast, byField);
      return;
    default:
      // Everything else is about values, not about words in a text.
      return;
  }
}

/** What a word may be in parts is decided by the collection, where it is: all that it may be is marked. */
function rowsOf({ term, begun, rows = [], rowsComeBefore }: FuzzyAst): readonly AstRow[] {
  return rowsComeBefore !== undefined ? [...rows, ...wordParts(term, begun !== undefined, () => true)] : rows;
}

/** What else a word may be written as. */
function collectRows(
  rows: readonly AstRow[],
  fields: readonly string[],
  byField: Map<string, HighlightTargets>,
): void {
  for (const field of fields) {
    const { terms, prefixes, phrases } = targetsOf(byField, field);
    for (const { terms: row, lastIsPrefix } of rows) {
      const [first, second] = row;
      if (second === undefined) (lastIsPrefix ? prefixes : terms).add(first!);
      else phrases.push({ terms: row.map((term, position) => ({ term, position })), slop: 0, lastIsPrefix });
    }
  }
}

/** Tokens in a row. */
function exactly(field: string, terms: PhraseTarget["terms"]): QueryAst {
  const [first, second] = terms;
  if (first !== undefined && second === undefined) return { kind: "term", field, term: first.term };
  return { kind: "phrase", field, terms, slop: 0, lastIsPrefix: false };
}

function targetsOf(byField: Map<string, HighlightTargets>, field: string): HighlightTargets {
  let targets = byField.get(field);
  if (targets === undefined) {
    targets = { terms: new Set(), prefixes: new Set(), ranges: [], phrases: [], fuzzy: [] };
    byField.set(field, targets);
  }
  return targets;
}
