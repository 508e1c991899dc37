import type { QueryAst } from "../../src/query/query-ast.js";
import type { SearchPlan } from "../../src/query/search-plan.js";

const FIELD = "description";
const WORDS = [
  "library",
  "file",
  "data",
  "system",
  "support",
  "program",
  "package",
  "format",
  "network",
  "user",
];

const term = (word: string): QueryAst => ({ kind: "term", field: FIELD, term: word });
const prefix = (letters: string): QueryAst => ({ kind: "prefix", field: FIELD, prefix: letters });
const any = (asts: readonly QueryAst[]): QueryAst => ({
  kind: "boolean",
  clauses: asts.map((ast) => ({ occur: "should", ast })),
});
const phrase = (slop: number, ...words: string[]): QueryAst => ({
  kind: "phrase",
  field: FIELD,
  terms: words.map((word, position) => ({ term: word, position })),
  slop,
  lastIsPrefix: false,
});

const plan = (ast: QueryAst, more: Partial<SearchPlan> = {}): SearchPlan => ({
  ast,
  offset: 0,
  limit: 10,
  facets: [],
  ...more,
});

/** Searches that take long, each in its own way. */
export const DEAR_SEARCHES: readonly { readonly name: string; readonly plan: SearchPlan }[] = [
  { name: "ten frequent words, facets", plan: plan(any(WORDS.map(term)), { facets: ["tags"] }) },
  {
    name: "order by score, then size",
    plan: plan(any(WORDS.slice(0, 3).map(term)), {
      orderBy: [
        { kind: "score", descending: true },
        { kind: "field", field: "size", descending: true },
      ],
    }),
  },
  { name: "words near one another", plan: plan(phrase(3, "file", "format")) },
  {
    name: "a word being typed, misspelt",
    plan: plan({
      kind: "fuzzy_prefix",
      prefix: "proc",
      maxDistance: 1,
      fields: [{ field: FIELD, boost: 1 }],
    }),
  },
  {
    name: "64 prefixes",
    plan: plan(any(Array.from({ length: 64 }, (_, i) => prefix(twoLetters(i))))),
  },
  { name: "hits from the 50,000th on", plan: plan(term("package"), { offset: 50_000 }) },
];

/** Searches of the kind that most are. */
export const CHEAP_SEARCHES: readonly SearchPlan[] = [
  plan(term("compiler")),
  plan(any([term("image"), term("viewer")])),
  plan(phrase(0, "command", "line")),
  plan({ kind: "fuzzy", term: "editer", maxDistance: 1, fields: [{ field: FIELD, boost: 1 }] }),
];

function twoLetters(n: number): string {
  return String.fromCharCode(97 + (n % 26)) + "aeo"[Math.floor(n / 26)]!;
}
