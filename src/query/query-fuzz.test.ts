import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampleIndex } from "../../tests/query-kit/sample-index.js";
import type { SearchClause } from "../contract/search.js";
import { FindlingError } from "../errors/index.js";
import { compileClauses } from "./compile-search.js";
import type { QueryAst } from "./query-ast.js";

// Goal: no text, however broken, gives anything but a sound query or an error that blames the caller.
// FINDLING_FUZZ_RUNS sets the number of mutated queries, FINDLING_FUZZ_SEED repeats a run.
const RUNS = Number(process.env["FINDLING_FUZZ_RUNS"] ?? 50_000);
const SEED = Number(process.env["FINDLING_FUZZ_SEED"] ?? Date.now() % 2 ** 31);

const CALLER_ERRORS = [
  "query_syntax",
  "unknown_field",
  "field_not_indexed",
  "invalid_field_value",
  "invalid_request",
];
const MODES = ["exact", "fuzzy", "dynamic"] as const;
const INDEX = sampleIndex({ search_fields: ["title", "body", "id"] }, ["wi-fi", "new york"]);

const SEEDS = [
  "active:false AND rating:>9",
  "rating:[6 TO 9] price:{10 TO 100}",
  "tags:IN [evolution, 'color of' \"x y\"*]",
  "created_at:[2024-01-01T00:00:00.000Z TO 2024-12-31T00:00:00.000Z]",
  "updated_at:2024-06-01T00:00:00.000Z OR created_at:(2024-06-01T00:00:00Z 1700000000)",
  "active:true AND price:[10 TO 100] AND category:IN [electronics computers] -discontinued",
  "(category:tech OR category:/science\\ fiction) AND rating:>=-4.5e3^2",
  'section_name:"Columns" OR section_name:\'Prep\'~3 "he said "x""',
  "NOT (id:test-doc-1* +title:(red -blue^0.5)) 東京都 don't",
  "reviews:-5 title:* * wi-fi* -(a OR -b) hidden:x",
];
const PIECES = [
  ..."\\\"'()[]{}:*^~-+,<>= \t\n/aZ19\u0000",
  "AND",
  "OR ",
  "NOT ",
  "IN [",
  " TO ",
  "title:",
  "price:",
  "😀",
  "\ud800",
  "\u0301",
  "東",
];

describe("compiling any text", () => {
  test(`survives ${RUNS} mutated queries (seed ${SEED})`, { timeout: 3_600_000 }, () => {
    const random = randomNumbers(SEED);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    let compiled = 0;
    for (let run = 0; run < RUNS; run++) {
      let query = pick(SEEDS);
      for (let edits = 1 + Math.floor(random() * 6); edits > 0; edits--) {
        const start = Math.floor(random() * (query.length + 1));
        const end = Math.min(query.length, start + Math.floor(random() * 8));
        const inserted = pick([
          "",
          pick(PIECES),
          pick(SEEDS).slice(start, end + 4),
          query.slice(start, end).repeat(2),
        ]);
        query = query.slice(0, start) + inserted + query.slice(end);
      }
      if (check(query)) compiled++;
    }
    // A share of both outcomes shows that the mutations are neither harmless nor hopeless.
    expect(compiled).toBeGreaterThan(RUNS / 50);
    expect(compiled).toBeLessThan(RUNS);
  });

  test("survives random text", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(text, (query) => {
        check(query);
      }),
      { numRuns: 3000 },
    );
  });
});

/** Whether the exact query compiled. */
function check(query: string): boolean {
  let exactCompiled = false;
  for (const mode of MODES) {
    const clause: SearchClause = { mode, ctx: query, occur: "should" };
    try {
      requireSound(compileClauses([clause], undefined, INDEX));
      if (mode === "exact") exactCompiled = true;
    } catch (error) {
      if (mode === "exact" && error instanceof FindlingError && CALLER_ERRORS.includes(error.code)) continue;
      throw new Error(`seed ${SEED}, ${mode} query ${JSON.stringify(query)}`, { cause: error });
    }
  }
  return exactCompiled;
}

/** What back ends may rely on in every query. */
function requireSound(ast: QueryAst): void {
  switch (ast.kind) {
    case "boolean":
      if (ast.clauses.length === 0) throw new Error("a boolean query without clauses");
      for (const clause of ast.clauses) requireSound(clause.ast);
      return;
    case "boost":
      if (!(Number.isFinite(ast.factor) && ast.factor >= 0)) throw new Error(`boost ${ast.factor}`);
      requireSound(ast.ast);
      return;
    case "constant_score":
      requireSound(ast.ast);
      return;
    case "term":
      if (ast.term === "") throw new Error("an empty term");
      return;
    case "phrase":
      if (ast.terms.length < 2 || ast.terms[0]!.position !== 0)
        throw new Error("a phrase of fewer than two terms");
      for (const [i, { position }] of ast.terms.entries()) {
        if (i > 0 && position <= ast.terms[i - 1]!.position) throw new Error("a phrase out of order");
      }
      return;
    case "value_set":
      if (ast.values.length === 0) throw new Error("an empty set");
      return;
    case "value_range":
    case "term_range":
      if (ast.lower === null && ast.upper === null) throw new Error("a range without ends");
      return;
    case "fuzzy":
      if (ast.term === "" || ast.fields.length === 0) throw new Error("a fuzzy query of nothing");
      return;
    default:
      return;
  }
}

/** Mulberry32: numbers in [0, 1) that a seed repeats. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
