import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { compareCodePoints } from "../../contract/code-points.js";
import { defineSchema, Index, MemoryDirectory, type Query } from "../../engine/server-door.js";
import type { QueryAst } from "../query-ast.js";
import { Highlighter, type HighlightOptions } from "./highlighter.js";
import type { Interrupt } from "./steps.js";
import { WantedTexts } from "./wanted-texts.js";

const ANALYZER = createAnalyzer({ version: 1 });
const OPTIONS: HighlightOptions = {
  fields: ["title", "body"],
  preTag: "<em>",
  postTag: "</em>",
  fragmentSize: 0,
  maxFragments: 3,
};

function highlight(
  ast: QueryAst,
  document: Readonly<Record<string, unknown>>,
  options: Partial<HighlightOptions> = {},
): Record<string, string[]> {
  return new Highlighter(ast, ANALYZER, { ...OPTIONS, ...options }, PATIENT).highlight(document);
}

const PATIENT: Interrupt = { check() {} };

const term = (text: string, field = "title"): QueryAst => ({ kind: "term", field, term: text });
const fuzzy = (text: string, maxDistance: 0 | 1 | 2): QueryAst => ({
  kind: "fuzzy",
  term: text,
  maxDistance,
  fields: [
    { field: "title", boost: 1 },
    { field: "body", boost: 1 },
  ],
});
const phrase = (text: string, slop = 0, lastIsPrefix = false): QueryAst => ({
  kind: "phrase",
  field: "title",
  terms: text.split(" ").map((word, position) => ({ term: word, position })),
  slop,
  lastIsPrefix,
});

describe("marks", () => {
  test.each<[string, QueryAst, string, string | undefined]>([
    [
      "a word, whatever its case",
      term("world"),
      "Human WORLD, world",
      "Human <em>WORLD</em>, <em>world</em>",
    ],
    ["no part of a word", term("art"), "Part art", "Part <em>art</em>"],
    ["a prefix", { kind: "prefix", field: "title", prefix: "wor" }, "a world", "a <em>world</em>"],
    [
      "a range",
      {
        kind: "term_range",
        field: "title",
        lower: { value: "b", inclusive: true },
        upper: { value: "d", inclusive: false },
      },
      "a b c d",
      "a <em>b</em> <em>c</em> d",
    ],
    ["a phrase where it occurs", phrase("a b"), "a x a b", "a x <em>a</em> <em>b</em>"],
    ["a phrase with slop", phrase("a b", 1), "a x b, a y y b", "<em>a</em> x <em>b</em>, a y y b"],
    ["a phrase that ends in a prefix", phrase("new yo", 0, true), "new york", "<em>new</em> <em>york</em>"],
    ["nothing of a phrase that doesn't occur", phrase("a b"), "b a", undefined],
    [
      "text as HTML",
      term("b"),
      `<i>"a" & 'b'</i>`,
      "&lt;i&gt;&quot;a&quot; &amp; &#39;<em>b</em>&#39;&lt;/i&gt;",
    ],
    [
      "nothing that must not be there",
      { kind: "boolean", clauses: [{ occur: "must_not", ast: term("a") }] },
      "a",
      undefined,
    ],
  ])("%s", (_, ast, title, expected) => {
    expect(highlight(ast, { title })["title"]?.[0]).toBe(expected);
  });

  test("the nearest variants of a fuzzy word only, over all its fields", () => {
    expect(highlight(fuzzy("cat", 1), { title: "car cat", body: "bat" })).toEqual({
      title: ["car <em>cat</em>"],
    });
    expect(highlight(fuzzy("cat", 1), { title: "car dog", body: "bat" })).toEqual({
      title: ["<em>car</em> dog"],
      body: ["<em>bat</em>"],
    });
    expect(highlight(fuzzy("cat", 0), { title: "car" })).toEqual({});
  });

  test("values of a list each for itself, and no phrase across two", () => {
    expect(highlight(term("a"), { title: ["a b", "c", "a"] })).toEqual({
      title: ["<em>a</em> b", "<em>a</em>"],
    });
    expect(highlight(phrase("a b"), { title: ["a", "b"] })).toEqual({});
    expect(highlight(term("a"), { title: ["a", "a", "a", "a"] })["title"]).toHaveLength(3);
  });

  test("fields that are missing or hold something else not at all", () => {
    expect(highlight(term("a"), {})).toEqual({});
    expect(highlight(term("a"), { title: 5 })).toEqual({});
    expect(highlight(term("tostring", "toString"), {}, { fields: ["toString"] })).toEqual({});
  });

  test("the word under stemming", () => {
    const stemming = createAnalyzer({ version: 1, stemming: "en" });
    const stem: string[] = [];
    stemming.analyze("connections", { token: (text) => stem.push(text) });
    const highlighter = new Highlighter(term(stem[0]!), stemming, OPTIONS, PATIENT);
    expect(highlighter.highlight({ title: "Connecting a connection" })).toEqual({
      title: ["<em>Connecting</em> a <em>connection</em>"],
    });
  });
});

describe("fragments", () => {
  const LONG = `${"lorem ipsum ".repeat(30)}alpha beta gamma. ${"dolor sit ".repeat(30)}alpha ${"amet ".repeat(60)}`;
  const both: QueryAst = {
    kind: "boolean",
    clauses: [
      { occur: "should", ast: term("alpha") },
      { occur: "should", ast: term("beta") },
    ],
  };

  test("show the place with most of the query first, are about as long as asked for, and end between words", () => {
    const fragments = highlight(both, { title: LONG }, { fragmentSize: 60 })["title"]!;
    expect(fragments).toHaveLength(2);
    expect(fragments[0]).toContain("<em>alpha</em> <em>beta</em> gamma.");
    for (const fragment of fragments) {
      const plain = fragment.replace(/<\/?em>/g, "");
      expect(plain.length).toBeLessThanOrEqual(61);
      expect(plain.length).toBeGreaterThan(30);
      expect(LONG).toContain(plain);
      expect(plain.trim()).toBe(plain);
    }
    expect(highlight(both, { title: LONG }, { fragmentSize: 60, maxFragments: 1 })["title"]).toEqual([
      fragments[0],
    ]);
  });

  test("a word longer than a fragment is shown whole", () => {
    const word = "x".repeat(200);
    expect(highlight(term(word), { title: `a ${word} b` }, { fragmentSize: 50 })["title"]![0]).toContain(
      `<em>${word}</em>`,
    );
  });

  // Goal: whatever the text, fragments are pieces of it, in no part twice, with every tag in a pair.
  test("are pieces of the text that don't overlap", () => {
    const words = fc.array(
      fc.constantFrom("alpha", "beta", "x", "some", "longer-words", "<&>", "\u{1f600}"),
      { maxLength: 80 },
    );
    fc.assert(
      fc.property(
        words,
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 5 }),
        (parts, fragmentSize, maxFragments) => {
          const text = parts.join(" ");
          const options = { fragmentSize, maxFragments, preTag: "[", postTag: "]" };
          const fragments = highlight(both, { title: text }, options)["title"] ?? [];
          expect(fragments.length > 0).toBe(/alpha|beta/.test(text));
          expect(fragments.length).toBeLessThanOrEqual(maxFragments);
          const counts = new Map<string, number>();
          for (const fragment of fragments) {
            expect(fragment).toMatch(/^[^[\]]*(\[[^[\]]+\][^[\]]*)+$/);
            const plain = fragment
              .replace(/[[\]]/g, "")
              .replaceAll("&lt;", "<")
              .replaceAll("&gt;", ">")
              .replaceAll("&amp;", "&");
            expect(text).toContain(plain);
            for (const word of plain.match(/alpha|beta/g) ?? [])
              counts.set(word, (counts.get(word) ?? 0) + 1);
          }
          for (const [word, count] of counts) expect(count).toBeLessThanOrEqual(text.split(word).length - 1);
        },
      ),
    );
  });
});

// Goal: a document has a mark exactly if it matches. Oracle: the engine.
test("what matches has a mark, and what has a mark matches", async () => {
  const schema = defineSchema({ title: "text", body: "text" });
  const word = fc.constantFrom("a", "ab", "abc", "abcd", "abdc", "bcd", "b", "xbcd");
  const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
  const query: fc.Arbitrary<QueryAst> = fc.oneof(
    word.map((found) => term(found)),
    fc
      .tuple(word, fc.constantFrom(0 as const, 1 as const, 2 as const))
      .map(([found, distance]) => fuzzy(found, distance)),
    word.map((prefix): QueryAst => ({ kind: "prefix", field: "body", prefix })),
    fc.tuple(word, fc.constantFrom(0 as const, 1 as const, 2 as const)).map(
      ([prefix, maxDistance]): QueryAst => ({
        kind: "fuzzy_prefix",
        prefix: `${prefix}cd`,
        maxDistance,
        fields: [{ field: "body", boost: 1 }],
      }),
    ),
    fc
      .tuple(fc.array(word, { minLength: 2, maxLength: 3 }), fc.integer({ min: 0, max: 3 }), fc.boolean())
      .map(([words, slop, lastIsPrefix]) => phrase(words.join(" "), slop, lastIsPrefix)),
    fc.tuple(word, word, fc.boolean()).map(
      ([lower, upper, inclusive]): QueryAst => ({
        kind: "term_range",
        field: "title",
        lower: { value: lower, inclusive },
        upper: { value: upper, inclusive: !inclusive },
      }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ title: text, body: text }), { minLength: 1, maxLength: 8 }),
      fc.array(query, { minLength: 1, maxLength: 6 }),
      async (documents, queries) => {
        const index = await Index.create(new MemoryDirectory(), schema);
        const ids = await index.add(documents);
        await index.commit();
        for (const ast of queries) {
          const hits = index
            .search({ query: ast as Query, limit: 100 })
            .hits.map(({ documentId }) => documentId);
          const marked = ids.filter((_, i) => Object.keys(highlight(ast, documents[i]!)).length > 0);
          expect(new Set(marked), JSON.stringify(ast)).toEqual(new Set(hits));
        }
        await index.close();
      },
    ),
    { numRuns: 150 },
  );
});

describe("the work", () => {
  /** How often a highlighter asks whether it may go on. */
  function checksFor(ast: QueryAst, title: string, options: Partial<HighlightOptions>): number {
    let checks = 0;
    const interrupt = { check: () => checks++ };
    new Highlighter(ast, ANALYZER, { ...OPTIONS, ...options }, interrupt).highlight({ title });
    return checks;
  }
  const WORDS = 20_000;
  const repeated = (text: string, times: number): string => text.repeat(times);
  const distinct = (times: number): string => Array.from({ length: times }, (_, i) => `w${i}`).join(" ");
  const any = (asts: readonly QueryAst[]): QueryAst => ({
    kind: "boolean",
    clauses: asts.map((ast) => ({ occur: "should", ast })),
  });
  const range = (i: number): QueryAst => ({
    kind: "term_range",
    field: "title",
    lower: { value: `x${2 * i}`, inclusive: true },
    upper: { value: `x${2 * i + 1}`, inclusive: true },
  });
  const prefix = (i: number): QueryAst => ({ kind: "prefix", field: "title", prefix: `x${i}` });
  const cases: [string, QueryAst, (times: number) => string, Partial<HighlightOptions>][] = [
    ["a word that stands everywhere", term("a"), (n) => repeated("a ", n), { fragmentSize: 10_000 }],
    ["many short fragments", term("a"), (n) => repeated("a ", n), { fragmentSize: 50, maxFragments: 100 }],
    [
      "words far from each other",
      term("a"),
      (n) => repeated(`a ${"b ".repeat(49)}`, n / 50),
      { fragmentSize: 90_000 },
    ],
    ["a phrase of a word that stands everywhere", phrase("a a a a"), (n) => repeated("a ", n), {}],
    ["the same with slop", phrase("a a a a", 5), (n) => repeated("a ", n), {}],
    ["a phrase that ends in a prefix", phrase("w1 w", 0, true), distinct, {}],
    ["words that all differ", term("w1"), distinct, { fragmentSize: 100_000 }],
  ];
  test.each(cases)("grows with the text: %s", (_, ast, textOf, options) => {
    const [one, four] = [1, 4].map((times) => checksFor(ast, textOf(times * WORDS), options));
    expect(one).toBeGreaterThan(10);
    expect(four! / one!).toBeLessThan(6);
  });

  test("doesn't grow with the number of words, prefixes and ranges that are looked for", () => {
    const many = Array.from({ length: 1_000 }, (_, i) => i);
    const asked = any(many.flatMap((i) => [term(`x${i}`), prefix(i), range(i)]));
    const alone = checksFor(term("x1"), distinct(WORDS), {});
    expect(checksFor(asked, distinct(WORDS), {}) / alone).toBeLessThan(1.5);
  });

  test("ends where it is interrupted", () => {
    let checks = 0;
    const interrupt = {
      check() {
        if (++checks === 5) throw new RangeError("enough");
      },
    };
    const highlighter = new Highlighter(term("a"), ANALYZER, OPTIONS, interrupt);
    expect(() => highlighter.highlight({ title: repeated("a ", WORDS) })).toThrow("enough");
    expect(checks).toBe(5);
  });

  test("makes no more HTML than it may: what would be too long is left out", () => {
    const tag = "<mark>".padEnd(200, " ");
    const options = { ...OPTIONS, preTag: tag, postTag: tag };
    const highlighter = new Highlighter(term("a"), ANALYZER, options, PATIENT);
    expect(highlighter.highlight({ title: repeated("a ", 60_000) })).toEqual({});
    expect(Object.keys(highlighter.highlight({ title: repeated("a ", 20_000) }))).toEqual(["title"]);
    expect(Object.keys(highlighter.highlight({ title: repeated("a ", 30_000) }))).toEqual([]);
  });
});

// Oracle: each range by itself.
test("texts are in some range exactly if they are in the ranges taken together", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\u{1f600}", "\uffee"), maxLength: 3 });
  const bound = fc.option(fc.record({ value: text, inclusive: fc.boolean() }));
  const isIn = (value: string, lower: TextBound, upper: TextBound): boolean => {
    const fromLower = lower === null ? 1 : compareCodePoints(value, lower.value);
    const toUpper = upper === null ? 1 : compareCodePoints(upper.value, value);
    return (
      (fromLower > 0 || (fromLower === 0 && lower!.inclusive)) &&
      (toUpper > 0 || (toUpper === 0 && upper!.inclusive))
    );
  };
  fc.assert(
    fc.property(
      fc.array(fc.record({ lower: bound, upper: bound }), { maxLength: 6 }),
      text,
      (ranges, value) => {
        const wanted = new WantedTexts({ terms: new Set(), prefixes: new Set(), ranges });
        expect(wanted.has(value)).toBe(ranges.some(({ lower, upper }) => isIn(value, lower, upper)));
      },
    ),
    { numRuns: 1000 },
  );
});

type TextBound = { readonly value: string; readonly inclusive: boolean } | null;
