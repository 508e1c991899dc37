// Properties: a word or phrase in several fields becomes the same weight from the second search on that all its parts
// are known, whatever else is asked for; what differs in anything becomes another; the room is bounded; and searches
// find the same by it, however many segments there are, as a searcher that nobody asked before.
import { expect, test, vi } from "vitest";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { imageThreshold } from "../../kernels/image-memory.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { BooleanQuery, Query } from "../query.js";
import { Searcher } from "../searcher.js";
import { SnapshotStatistics } from "../statistics/snapshot-statistics.js";
import { BooleanWeight } from "./boolean-weight.js";
import { createWeight } from "./create-weight.js";
import { KnownAlternatives } from "./known-alternatives.js";
import { QueryBinding } from "./query-binding.js";

const schema = defineSchema({ body: "text", title: "text", note: "text", tag: { kind: "facet" } });
const FIELDS = ["body", "title", "note"];

const newBinding = (): QueryBinding => new QueryBinding(schema, new SnapshotStatistics([]));

const anyOf = (queries: readonly Query[]): BooleanQuery => ({
  kind: "boolean",
  clauses: queries.map((query) => ({ occur: "should", query })),
});
const word = (term: string, fields: readonly string[] = FIELDS): BooleanQuery =>
  anyOf(fields.map((field) => ({ kind: "term", field, term })));
const phrase = (words: readonly string[], slop = 0, lastIsPrefix = false, fields = FIELDS): BooleanQuery =>
  anyOf(
    fields.map((field) => ({
      kind: "phrase",
      field,
      terms: words.map((term, position) => ({ term, position })),
      slop,
      lastIsPrefix,
    })),
  );

test("each is the same from the third search on, and told from those that differ in one thing", () => {
  const binding = newBinding();
  const queries = [
    word("a"),
    word("b"),
    word("a", ["body", "title"]),
    word("a", ["title", "body"]),
    phrase(["a", "b"]),
    phrase(["a", "c"]),
    phrase(["a", "b"], 1),
    phrase(["a", "b"], 0, true),
    phrase(["a", "b"], 0, false, ["body", "title"]),
  ];
  const bind = (): unknown[] => queries.map((query) => createWeight(structuredClone(query), binding));
  bind();
  const second = bind();
  const third = bind();
  third.forEach((weight, n) => {
    expect(weight).toBe(second[n]);
  });
  expect(new Set(third).size).toBe(queries.length);
});

test.each<[string, BooleanQuery]>([
  ["several words", anyOf(FIELDS.map((field, n) => ({ kind: "term", field, term: `w${n}` })))],
  ["a word and a phrase", anyOf([word("a").clauses[0]!.query, phrase(["a", "b"]).clauses[1]!.query])],
  [
    "a word boosted in a field",
    anyOf([word("a").clauses[0]!.query, { kind: "boost", query: word("a").clauses[1]!.query, factor: 2 }]),
  ],
  [
    "all fields wanted",
    { kind: "boolean", clauses: word("a").clauses.map(({ query }) => ({ occur: "must", query })) },
  ],
  ["two fields wanted", { ...word("a"), minimumShouldMatch: 2 }],
  ["one field", word("a", ["body"])],
  ["a term longer than documents'", word("x".repeat(256))],
])("not remembered: %s", (_, query) => {
  const binding = newBinding();
  for (let n = 0; n < 3; n++) createWeight(query, binding);
  expect(binding.alternatives(query)).toBeNull();
});

test("room is bounded, in all and for those that begin alike", () => {
  const binding = newBinding();
  const ask = (query: BooleanQuery): boolean => {
    for (let n = 0; n < 2; n++) createWeight(query, binding);
    return binding.alternatives(query) !== null;
  };
  const alike = Array.from({ length: 10 }, (_, n) => ask(phrase(["same", `w${n}`])));
  expect(alike).toEqual([...Array(8).fill(true), false, false]);
  expect(ask(word("first"))).toBe(true);
  for (let n = 0; n < 9900; n++) ask(word(`w${n}`));
  expect(binding.alternatives(word("first"))).not.toBeNull();
  for (let n = 9900; n < 10_000; n++) ask(word(`w${n}`));
  expect(binding.alternatives(word("first"))).toBeNull();
});

test("each token of a phrase takes room", () => {
  const binding = newBinding();
  const ask = (n: number): void => {
    const words = Array.from({ length: 16 }, (_, i) => `w${n}x${i}`);
    for (let times = 0; times < 2; times++) createWeight(phrase(words), binding);
  };
  for (let n = 0; n < 600; n++) ask(n);
  const first = phrase(Array.from({ length: 16 }, (_, i) => `w0x${i}`));
  expect(binding.alternatives(first)).not.toBeNull();
  for (let n = 600; n < 700; n++) ask(n);
  expect(binding.alternatives(first)).toBeNull();
});

test("each segment's plan takes room", () => {
  const known = new KnownAlternatives();
  const weights = [new KeptPlans([], undefined), new KeptPlans([], undefined)];
  weights.forEach((weight, n) => {
    known.add(word(`w${n}`), FIELDS, () => true, weight);
  });
  for (let segment = 0; segment < 9000; segment++) weights[0]!.onKept();
  expect(known.find(word("w1"))).not.toBeNull();
  for (let segment = 0; segment < 1000; segment++) weights[1]!.onKept();
  expect(known.find(word("w1"))).toBeNull();
});

test("plans that searches make of segments take room", async () => {
  const directory = new MemoryDirectory();
  const analyzer = createAnalyzer({ version: 1 });
  const segments = [];
  for (let s = 0; s < 60; s++) {
    const builder = new SegmentBuilder(schema, analyzer);
    builder.add(`${s}`.padStart(32, "0"), { body: "w0 w1", title: "w0", tag: "/t" });
    await builder.write(directory, `s${s}`);
    segments.push(await openSegment(directory, `s${s}`, schema, null));
  }
  const searcher = new Searcher(segments, schema);
  const ask = (n: number): void => {
    for (let times = 0; times < 3; times++) {
      searcher.rank({ query: word(`w${n}`), offset: 0, limit: 5, facets: ["tag"] });
    }
  };
  const find = vi.spyOn(KnownAlternatives.prototype, "find");
  const isKnown = (n: number): boolean => {
    find.mockClear();
    searcher.rank({ query: word(`w${n}`), offset: 0, limit: 5, facets: ["tag"] });
    return find.mock.results[0]?.value !== null;
  };
  // A word's fields in the query and in each segment's plan: 183 of 30,000 parts.
  for (let n = 0; n < 160; n++) ask(n);
  expect(isKnown(0)).toBe(true);
  for (let n = 160; n < 166; n++) ask(n);
  expect(isKnown(0)).toBe(false);
  find.mockRestore();
});

class KeptPlans extends BooleanWeight {
  onKept: () => void = () => expect.unreachable();

  override keepPlans(onKept: () => void): void {
    this.onKept = onKept;
  }
}

const RUNS = Number(process.env["FINDLING_TEST_KERNEL_RUNS"] ?? 4);

test.each([
  ["with kernels", 0],
  ["without kernels", Number.POSITIVE_INFINITY],
])("searches find the same as if nobody had asked before, %s", async (_, imageBytes) => {
  const before = imageThreshold.bytes;
  imageThreshold.bytes = imageBytes;
  try {
    for (let seed = 1; seed <= RUNS; seed++) await compare(new SeededRandom(seed));
  } finally {
    imageThreshold.bytes = before;
  }
});

async function compare(random: SeededRandom): Promise<void> {
  const directory = new MemoryDirectory();
  const analyzer = createAnalyzer({ version: 1 });
  const text = (): string => Array.from({ length: random.below(6) }, () => `w${random.below(8)}`).join(" ");
  const segments = [];
  for (let s = 0; s < 1 + random.below(3); s++) {
    const builder = new SegmentBuilder(schema, analyzer);
    for (let n = 0; n < 1 + random.below(60); n++) {
      const tag = `/t${random.below(3)}`;
      const fields = random.below(4) === 0 ? { body: text() } : { body: text(), title: text(), note: text() };
      builder.add(`${s * 1000 + n}`.padStart(32, "0"), { ...fields, tag });
    }
    await builder.write(directory, `s${s}`);
    segments.push(await openSegment(directory, `s${s}`, schema, null));
  }
  const asked = new Searcher(segments, schema);
  for (let n = 0; n < 40; n++) {
    const one = (): BooleanQuery =>
      random.below(2) === 0
        ? word(`w${random.below(9)}`)
        : phrase([`w${random.below(8)}`, `w${random.below(8)}`], random.below(2), random.below(4) === 0);
    const both: Query = {
      kind: "boolean",
      clauses: [
        { occur: "must", query: one() },
        { occur: "must", query: one() },
      ],
    };
    const query = random.below(2) === 0 ? one() : both;
    for (const facets of [[], ["tag"]]) {
      const options = { query, offset: 0, limit: 5, facets };
      const fresh = new Searcher(segments, schema);
      expect(asked.search(options)).toEqual(fresh.search(options));
      expect(asked.cost(options)).toBe(fresh.cost(options));
    }
  }
}
