/**
 * Properties: a search can be ended at any of the moments at which it asks, with its interrupt's error;
 * the next search answers as if nothing had been, with kernels and without; long work asks often enough.
 * Time itself is never measured: interrupts are counted, the clock is a number.
 */
import { afterEach, describe, expect, test } from "vitest";
import { distanceOfEdits } from "../../analysis/word-distance.js";
import { imageThreshold } from "../kernels/image-memory.js";
import { kernelPace } from "../kernels/segment-kernels.js";
import {
  defineSchema,
  Index,
  MemoryDirectory,
  type Query,
  type SearchInterrupt,
  type SearchOptions,
  TimeLimit,
} from "../server-door.js";
import { WINDOW_SIZE } from "./evaluators/evaluator.js";
import { NO_VARIANT } from "./search-types.js";

const SCHEMA = defineSchema({
  body: "text",
  title: { kind: "text" },
  kind: "facet",
  year: "u64",
  day: "datetime",
  side: "text",
  mixed: "text",
  rest: "text",
});
const SEGMENTS = 2;
const DOCUMENTS = 2 * WINDOW_SIZE + 100;

const term = (word: string, field = "body"): Query => ({ kind: "term", field, term: word });
const should = (...queries: Query[]): Query => ({
  kind: "boolean",
  clauses: queries.map((query) => ({ occur: "should", query })),
});
const all = (...queries: Query[]): Query => ({
  kind: "boolean",
  clauses: queries.map((query) => ({ occur: "must", query })),
});
const phrase = (...words: string[]): Query => ({
  kind: "phrase",
  field: "body",
  terms: words.map((word, position) => ({ term: word, position })),
  slop: 0,
  lastIsPrefix: false,
});
const fuzzy: Query = { kind: "fuzzy", fields: [{ field: "body", boost: 1 }], term: "waa", maxDistance: 2 };
const prefixes = should(
  ..."abcdefgh".split("").map((letter): Query => ({ kind: "prefix", field: "body", prefix: `w${letter}` })),
);

const SEARCHES: Record<string, Omit<SearchOptions, "offset" | "limit"> & { offset?: number }> = {
  "a term with facets": { query: term("common"), facets: ["kind"] },
  "a fuzzy word": { query: fuzzy },
  prefixes: { query: prefixes },
  "a phrase": { query: phrase("common", "waaa") },
  "a phrase with facets": { query: phrase("common", "wbab"), facets: ["kind"] },
  "all words": { query: all(term("common"), term("wbab")) },
  "all words with facets": { query: all(term("common"), term("wbab")), facets: ["kind"] },
  "few matches with facets": {
    query: all(should(term("waaa"), term("t5", "title")), should(term("common"), term("left", "side"))),
    facets: ["kind"],
  },
  "one of three words": { query: should(term("common"), term("waaa"), term("wbab")) },
  "one of two words whose scores tie": { query: should(term("left", "side"), term("right", "side")) },
  "one of two words": { query: should(term("left", "mixed"), term("right", "mixed")) },
  "a fuzzy prefix": {
    query: { kind: "fuzzy_prefix", fields: [{ field: "body", boost: 1 }], prefix: "waa", maxDistance: 1 },
  },
  "an order by text": {
    query: term("common"),
    orderBy: [{ kind: "field", field: "title", descending: true }],
  },
  "a deep page": { query: should(term("common"), fuzzy), offset: 9000 },
  decay: {
    query: should(term("common"), term("waaa")),
    timeDecay: { field: "day", nowSeconds: 1_700_000_000, ratePerDay: 0.01 },
  },
  "a filter and an exclusion": {
    query: {
      kind: "boolean",
      clauses: [
        { occur: "must", query: term("common") },
        { occur: "filter", query: { kind: "prefix", field: "body", prefix: "wa" } },
        { occur: "must_not", query: { kind: "prefix", field: "body", prefix: "wb" } },
      ],
    },
  },
};

class Counted implements SearchInterrupt {
  checks = 0;
  readonly #last: number;
  constructor(last = Infinity) {
    this.#last = last;
  }
  check(): void {
    if (this.checks++ === this.#last) throw new Error("ended");
  }
}

const thresholdBefore = imageThreshold.bytes;
const paceBefore = kernelPace.postings;
let index: Index;

/** Four letters for a number, so that the dictionary is dense around every word. */
function word(n: number): string {
  return `w${[n, n >> 4, n >> 8].map((digit) => String.fromCharCode(97 + (digit & 15))).join("")}`;
}

async function load(thresholdBytes: number): Promise<void> {
  imageThreshold.bytes = thresholdBytes;
  index = await Index.create(new MemoryDirectory(), SCHEMA);
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const documents = Array.from({ length: DOCUMENTS }, (_, n) => ({
      body: `common ${word(n)} ${word(n * 7)}`,
      title: `t${(n * 31) % 1000}`,
      kind: `/k${n % 5}`,
      year: n % 100,
      day: new Date(1_600_000_000_000 + n * 1e6).toISOString().replace(".000", ""),
      // Both in disjoint halves, in fields of one token each, and of more from block to block.
      side: n & 1 ? "left" : "right",
      mixed: `${n & 1 ? "left" : "right"}${" more".repeat((n >> 8) % 13)}`,
      rest: n % 1000 === 0 ? "stays" : "goes",
    }));
    await index.add(documents);
    await index.commit();
  }
  await index.deleteByQuery({ kind: "prefix", field: "body", prefix: "wabc" });
  await index.commit();
}

afterEach(async () => {
  await index.close();
  imageThreshold.bytes = thresholdBefore;
  kernelPace.postings = paceBefore;
});

describe.each([
  ["evaluators", 2 ** 40],
  ["kernels", 1],
])("%s", (_, bytes) => {
  test("a search ends at any moment at which it asks, and leaves no trace", async () => {
    await load(bytes);
    kernelPace.postings = 100;
    for (const [name, options] of Object.entries(SEARCHES)) {
      const run = (interrupt: SearchInterrupt): unknown => index.search({ limit: 20, ...options, interrupt });
      const counted = new Counted();
      const expected = run(counted);
      expect(counted.checks, name).toBeGreaterThanOrEqual(SEGMENTS);
      const step = Math.max(1, Math.floor(counted.checks / 12));
      // Expansions that a search before has worked out aren't asked about again, so count anew.
      const again = new Counted();
      expect(run(again), name).toEqual(expected);
      for (let last = 0; last < again.checks; last += step) {
        expect(() => run(new Counted(last)), `${name}, ended at check ${last}`).toThrow("ended");
        expect(run(new Counted()), `${name}, after check ${last}`).toEqual(expected);
      }
    }
  });
});

test("explaining a page ends at any moment at which it asks, in every window and of every part", async () => {
  await load(2 ** 40);
  const docIds = [0, 1, WINDOW_SIZE, 2 * WINDOW_SIZE + 1];
  const places = [0, 1].flatMap((segmentIndex) => docIds.map((docId) => ({ segmentIndex, docId })));
  const windows = SEGMENTS * 3;
  for (const [name, { query, timeDecay }] of Object.entries(SEARCHES)) {
    const run = (interrupt: SearchInterrupt): unknown =>
      index.searcher.explainAll(query, places, undefined, timeDecay, interrupt);
    const expected = run(new Counted());
    const counted = new Counted();
    expect(run(counted), name).toEqual(expected);
    const parts = query.kind === "boolean" ? query.clauses.length : 0;
    // Where each part has documents in both segments.
    const askedFor = name === "one of three words" ? windows * (1 + parts) : windows;
    expect(counted.checks, name).toBeGreaterThanOrEqual(askedFor);
    for (let last = 0; last < counted.checks; last++) {
      expect(() => run(new Counted(last)), `${name}, ended at check ${last}`).toThrow("ended");
    }
    expect(run(new Counted()), name).toEqual(expected);
  }
});

test("kernels ask in the middle of their work", async () => {
  await load(1);
  kernelPace.postings = 100;
  for (const name of ["prefixes", "a phrase", "all words", "one of three words"]) {
    const counted = new Counted();
    index.search({ limit: 20, offset: 0, ...SEARCHES[name]!, interrupt: counted });
    kernelPace.postings = 1 << 30;
    const outside = new Counted();
    index.search({ limit: 20, offset: 0, ...SEARCHES[name]!, interrupt: outside });
    kernelPace.postings = 100;
    expect(counted.checks, name).toBeGreaterThan(outside.checks);
  }
});

describe("one of two words", () => {
  /** Blocks of both words' lists in a segment. Each list is walked by itself, besides the two together. */
  const blocks = 2 * Math.floor(DOCUMENTS / 2 / 128);

  function checksOf(query: Query): number {
    const counted = new Counted();
    index.search({ query, limit: 20, withCount: false, interrupt: counted });
    return counted.checks;
  }

  /** How often a search asks besides while it looks for documents with both words. */
  function checksOfEach(field: string): number {
    const words = [term("left", field), term("right", field)];
    return checksOf(should(...words)) - checksOf(all(...words));
  }

  test("is ended in any of its passes where all scores tie", async () => {
    await load(1);
    kernelPace.postings = 100;
    // Later segments have nothing as good as the first one's hits, which come before.
    expect(checksOfEach("side")).toBeGreaterThanOrEqual(blocks);
  });

  test("is ended in any of its passes where nearly everything is deleted", async () => {
    await load(1);
    kernelPace.postings = 100;
    await index.deleteByQuery(term("goes", "rest"));
    await index.commit();
    expect(checksOfEach("mixed")).toBeGreaterThanOrEqual(SEGMENTS * blocks);
    expect(checksOf(term("left", "mixed"))).toBeGreaterThanOrEqual((SEGMENTS * blocks) / 2);
  });

  test("leaves nothing out of a search for one of them after it has been ended", async () => {
    await load(1);
    kernelPace.postings = 100;
    for (const field of ["side", "mixed"]) {
      const alone = ["left", "right"].map((word) => ({ query: term(word, field), limit: 20 }));
      const expected = alone.map((options) => index.search(options).hits);
      expect(expected.map((hits) => hits.length)).toEqual([20, 20]);
      const query = should(term("left", field), term("right", field));
      const checks = checksOf(query);
      for (let last = 0; last < checks; last++) {
        const run = (): unknown =>
          index.search({ query, limit: 20, withCount: false, interrupt: new Counted(last) });
        expect(run).toThrow("ended");
        expect(alone.map((options) => index.search(options).hits)).toEqual(expected);
      }
    }
  });
});

test("evaluators ask for every window, walks through dictionaries every thousand steps", async () => {
  await load(2 ** 40);
  const windows = new Counted();
  index.search({ query: should(term("common"), term("waaa")), interrupt: windows });
  expect(windows.checks).toBeGreaterThanOrEqual(SEGMENTS * Math.ceil(DOCUMENTS / WINDOW_SIZE));

  const walks = new Counted();
  const { statistics } = index.searcher;
  expect(statistics.variantDistance("body", { term: "wxyzwxyzwxyz", maxDistance: 2 }, walks)).toBe(
    NO_VARIANT,
  );
  const wide = new Counted();
  expect(
    statistics.variantDocFreq("body", { term: "waaa", maxDistance: 2 }, distanceOfEdits(2), wide),
  ).toBeGreaterThan(100);
  expect(wide.checks).toBeGreaterThan(walks.checks);
});

test("a time limit ends a search once its time is up, and can be given anew", async () => {
  await load(2 ** 40);
  let now = 1000;
  const limit = new TimeLimit(5000, () => now);
  const run = (): number => index.search({ query: term("common"), interrupt: limit }).hits.length;
  now += 4999;
  expect(run()).toBe(10);
  now += 1;
  expect(run).toThrow(
    expect.objectContaining({ code: "search_timeout", message: expect.stringContaining("after 5 seconds") }),
  );
  limit.restart();
  expect(run()).toBe(10);
});
