/**
 * What evaluators keep from window to window is bounded for all of a query's clauses together; where there is no room,
 * they find the same documents with the same scores. Each clause counts for the time limit, within a window, too.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../directory/memory-directory.js";
import { SegmentBuilder } from "../indexer/segment-builder.js";
import { imageThreshold } from "../kernels/image-memory.js";
import { defineSchema } from "../schema/define-schema.js";
import type { CanonicalDocument } from "../schema/document.js";
import { openSegment } from "../segment/open-segment.js";
import { heldRoom } from "./evaluators/held-room.js";
import type { BooleanQuery, Query } from "./query.js";
import { Searcher } from "./searcher.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const schema = defineSchema({
  body: "text",
  n: "u64",
  ns: { kind: "u64", multi: true },
  name: "keyword",
  path: { kind: "facet", multi: true },
});
const before = { room: { ...heldRoom }, threshold: imageThreshold.bytes };

afterEach(() => {
  Object.assign(heldRoom, before.room);
  imageThreshold.bytes = before.threshold;
});

async function openSearcher(documents: number, textOf: (n: number) => CanonicalDocument): Promise<Searcher> {
  // Evaluators, not kernels.
  imageThreshold.bytes = Number.POSITIVE_INFINITY;
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  for (let n = 0; n < documents; n++) builder.add(`${n}`.padStart(32, "0"), textOf(n));
  await builder.write(directory, "s");
  return new Searcher([await openSegment(directory, "s", schema, null)], schema);
}

function anyOf(queries: readonly Query[], minimumShouldMatch = 1): BooleanQuery {
  return {
    kind: "boolean",
    clauses: queries.map((query) => ({ occur: "should", query })),
    minimumShouldMatch,
  };
}

const fields = [{ field: "body", boost: 2 }];
const QUERIES: Record<string, Query> = {
  "a prefix": { kind: "prefix", field: "body", prefix: "wa" },
  "a range of terms": {
    kind: "term_range",
    field: "body",
    lower: { value: "wab", inclusive: false },
    upper: { value: "wc", inclusive: true },
  },
  "a set of values": { kind: "value_set", field: "n", values: [3, 5, 8, 13, 89, 90, 91] },
  "a short range of values": {
    kind: "value_range",
    field: "n",
    lower: { value: 7, inclusive: true },
    upper: { value: 12, inclusive: true },
  },
  "a set of several values a document": { kind: "value_set", field: "ns", values: [3, 5, 8] },
  "a range of several values a document": {
    kind: "value_range",
    field: "ns",
    lower: { value: 30, inclusive: true },
    upper: null,
  },
  "a prefix of values": { kind: "value_prefix", field: "name", prefix: "1" },
  "paths with those below": { kind: "facet", field: "path", paths: ["/a/1", "/b"] },
  "a beginning with edits": { kind: "fuzzy_prefix", prefix: "wabc", maxDistance: 1, fields },
  "a phrase that ends in a prefix": {
    kind: "phrase",
    field: "body",
    terms: [
      { term: "common", position: 0 },
      { term: "wa", position: 1 },
    ],
    slop: 2,
    lastIsPrefix: true,
  },
};

describe("without room", () => {
  let searcher: Searcher;
  const LETTERS = "abcd";

  beforeAll(async () => {
    const word = (n: number): string =>
      `w${LETTERS[n % 4]}${LETTERS[(n >>> 2) % 4]}${LETTERS[(n >>> 4) % 4]}`;
    searcher = await openSearcher(10_000, (n) => ({
      body: `${word(n)} common ${word(n * 7)} common x ${word(n * 31)}`,
      n: n % 97,
      ns: [n % 41, (n * 3) % 43],
      name: `${n % 101}`,
      path: [`/a/${n % 11}`, `/${LETTERS[n % 4]!}/${n % 3}`],
    }));
  });

  const results = (query: Query): unknown => searcher.search({ query, offset: 0, limit: 10_000 });
  const explained = (query: Query): unknown => {
    const { hits } = searcher.search({ query, offset: 0, limit: 200 });
    return hits.map(({ documentId }) => searcher.explain(query, documentId));
  };

  test.each(Object.entries(QUERIES))("%s", (_, query) => {
    const common: Query = { kind: "term", field: "body", term: "common" };
    const alone = results(query);
    const beside = results(anyOf([query, common], 2));
    Object.assign(heldRoom, { bytes: 0, bytesPerDoc: 0 });
    expect(results(query)).toEqual(alone);
    expect(results(anyOf([query, common], 2))).toEqual(beside);
    expect(alone).toMatchObject({
      count: expect.toSatisfy((count: number) => count > 200 && count < 10_000),
    });
  });

  test("explanations of a beginning with edits", () => {
    const query = QUERIES["a beginning with edits"]!;
    const expected = explained(query);
    Object.assign(heldRoom, { bytes: 0, bytesPerDoc: 0 });
    expect(explained(query)).toEqual(expected);
  });
});

test("twenty thousand ranges of values take bounded memory", async () => {
  const searcher = await openSearcher(50_000, (n) => ({ n: n % 20_000 }));
  const ranges = Array.from(
    { length: 20_000 },
    (_, n): Query => ({
      kind: "value_range",
      field: "n",
      lower: { value: n, inclusive: true },
      upper: { value: n + 1500, inclusive: true },
    }),
  );
  collectGarbage();
  const bytesBefore = process.memoryUsage().arrayBuffers;
  let most = bytesBefore;
  let checks = 0;
  const interrupt = {
    check(): void {
      if (++checks % 128 === 0) most = Math.max(most, process.memoryUsage().arrayBuffers);
      if (checks > 60_000) throw new RangeError("enough");
    },
  };
  const search = { query: anyOf(ranges, 2), offset: 0, limit: 10, interrupt };
  expect(() => searcher.search(search)).toThrow(RangeError);
  expect(most - bytesBefore).toBeLessThan(48 * 2 ** 20);
});

test.each([
  ["any", 1],
  ["two", 2],
])("%s of many clauses look at the clock within a window", async (_, minimum) => {
  const searcher = await openSearcher(100, () => ({ body: "a b c" }));
  const clauses = Array.from(
    { length: 4096 },
    (_, i): Query => ({ kind: "term", field: "body", term: "abc"[i % 3]! }),
  );
  let checks = 0;
  const interrupt = { check: () => void checks++ };
  searcher.search({ query: anyOf(clauses, minimum), offset: 0, limit: 10, interrupt });
  // Bound, made and evaluated.
  expect(checks).toBeGreaterThanOrEqual(4096 / 256 + 2 * (4096 / 16));
});
