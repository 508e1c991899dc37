/**
 * Snapshots that follow one another, with segments added, merged away and deleted from, of which older ones are asked
 * in between, and searches that are ended anywhere: kernels and joined lists give what evaluators give.
 */
import { afterEach, describe, expect, test } from "vitest";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { emptyBitset, setBit } from "../../bytes/bitset.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { imageThreshold } from "../../kernels/image-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { kernelPace } from "../../kernels/segment-kernels.js";
import { defineSchema } from "../../schema/define-schema.js";
import { type OpenSegment, openSegment } from "../../segment/open-segment.js";
import type { FuzzyQuery, Query } from "../query.js";
import type { OrderKey, SearchOptions } from "../search-types.js";
import { Searcher } from "../searcher.js";
import { SegmentStatisticsCache } from "../statistics/segment-statistics.js";
import { joiningPace } from "./joined-lists.js";

const SEGMENTS = 5;
const SNAPSHOTS = 12;
const SEARCHES = 30;
const WORDS = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "alpha", "alpho", "alphx"];
const schema = defineSchema({
  body: "text",
  title: "text",
  n: "u64",
  x: "f64",
  f: "facet",
  fs: { kind: "facet", multi: true },
});
/** Snapshots are made of each seed; as many as `FINDLING_TEST_KERNEL_RUNS` as a longer test. */
const SEEDS = Array.from({ length: Number(process.env["FINDLING_TEST_KERNEL_RUNS"] ?? 4) }, (_, n) => n + 1);

const before = { pace: { ...joiningPace }, threshold: imageThreshold.bytes, postings: kernelPace.postings };

afterEach(() => {
  Object.assign(joiningPace, before.pace);
  imageThreshold.bytes = before.threshold;
  kernelPace.postings = before.postings;
});

/** The same documents for kernels and for evaluators. */
interface Pair<T> {
  readonly fast: T;
  readonly plain: T;
}

async function openPair(random: SeededRandom, place: number, size: number): Promise<Pair<OpenSegment>> {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  const pathsMax = random.pick([2, 8, 300]);
  const path = (): string =>
    Array.from({ length: 1 + random.below(3) }, () => `/p${random.below(pathsMax)}`).join("");
  for (let n = 0; n < size; n++) {
    let words = WORDS.filter((_, rarity) => random.below(2 ** rarity) === 0);
    if (random.next() < 0.3) words.push("w8", "w8", "alpha");
    for (let filling = random.pick([0, 0, 0, 1, 5, 40]); filling > 0; filling--) words.push("x");
    // Else phrases of frequent words would be found in one order only.
    if (random.below(3) === 0) words = random.shuffled(words);
    const paths = Array.from({ length: random.below(4) }, path);
    builder.add(`${place}f${n}`.padStart(32, "0"), {
      body: words.join(" "),
      title: random.next() < 0.3 ? random.pick(WORDS) : "",
      ...(random.next() < 0.6 && { n: random.below(random.pick([3, 5000])) }),
      ...(random.next() < 0.9 && { x: random.pick([-1, -0.5, 0, 2.5, 1e9]) * random.below(4) }),
      f: `/a/${random.below(4)}`,
      ...(paths.length > 0 && { fs: paths }),
    });
  }
  await builder.write(directory, "s");
  imageThreshold.bytes = 0;
  const fast = await openSegment(directory, "s", schema, null);
  imageThreshold.bytes = Number.POSITIVE_INFINITY;
  const plain = await openSegment(directory, "s", schema, null);
  imageThreshold.bytes = 0;
  return { fast, plain };
}

function termOf(random: SeededRandom): Query {
  const field = random.pick(["body", "body", "body", "title"]);
  const query: Query = { kind: "term", field, term: random.pick(WORDS) };
  return random.below(4) === 0 ? { kind: "boost", factor: random.pick([1.7, 0.3]), query } : query;
}

function wordOf(random: SeededRandom): Query {
  const body = { field: "body", boost: 1 };
  const title = { field: "title", boost: 2 };
  const query: FuzzyQuery = {
    kind: "fuzzy",
    term: random.pick(["alpha", "alphq", "w9", "zzzzzz"]),
    maxDistance: random.pick([1, 2] as const),
    fields: random.pick([[body], [{ ...body, boost: 3 }], [title], [title, body], [body, title]]),
    ...(random.below(2) === 0 && { statisticsFields: ["body", "title"] }),
  };
  return random.below(5) === 0 ? { kind: "boost", factor: 2.2, query } : query;
}

function phraseOf(random: SeededRandom): Query {
  const terms = Array.from({ length: 2 + random.below(2) }, (_, position) => ({
    term: random.pick(["w0", "w0", "w1", "w1", "w2", "w3", "w8", "alpha"]),
    position,
  }));
  const slop = random.pick([0, 0, 0, 2]);
  const query: Query = { kind: "phrase", field: "body", terms, slop, lastIsPrefix: random.below(6) === 0 };
  return random.below(5) === 0 ? { kind: "boost", factor: 1.3, query } : query;
}

function filterOf(random: SeededRandom): Query {
  const bound = (): { value: number; inclusive: boolean } | null =>
    random.below(4) === 0 ? null : { value: random.pick([0, 1, 2, 2500]), inclusive: random.below(2) === 0 };
  return random.pick<Query>([
    { kind: "value_range", field: random.pick(["n", "x"]), lower: bound(), upper: bound() },
    { kind: "facet", field: "f", paths: [`/a/${random.below(5)}`] },
    { kind: "prefix", field: "body", prefix: random.pick(["al", "w", "w3"]) },
    { kind: "exists", field: "x" },
  ]);
}

/** Clauses of every kind, nested. */
function treeOf(random: SeededRandom, depth: number): Query {
  const kind = random.below(depth > 0 ? 7 : 4);
  if (kind < 4) return [termOf, wordOf, phraseOf, filterOf][kind]!(random);
  const query = treeOf(random, depth - 1);
  if (kind === 4) return { kind: "constant_score", score: 1.5, query };
  if (kind === 5) return { kind: "boost", factor: random.pick([1.7, 0.5]), query };
  const others = Array.from({ length: 1 + random.below(2) }, () => ({
    occur: random.pick(["should", "must", "should", "must_not"] as const),
    query: treeOf(random, depth - 1),
  }));
  return { kind: "boolean", clauses: [{ occur: random.pick(["should", "must"]), query }, ...others] };
}

function queryOf(random: SeededRandom): Query {
  if (random.below(6) === 0) return treeOf(random, 2);
  const kind = random.below(16);
  if (kind === 0) return { kind: "match_all" };
  if (kind < 5) return termOf(random);
  if (kind < 8) return wordOf(random);
  if (kind < 10) return phraseOf(random);
  if (kind < 11) return filterOf(random);
  const occur = random.pick(["should", "must"] as const);
  const filters = kind < 14 ? 0 : 1 + random.below(2);
  return {
    kind: "boolean",
    clauses: [
      ...Array.from({ length: (filters > 0 ? 1 : 2) + random.below(3) }, () => ({
        occur: random.below(12) === 0 ? ("must_not" as const) : occur,
        query: random.pick([wordOf, phraseOf, termOf, termOf, termOf, termOf])(random),
      })),
      ...Array.from({ length: filters }, () => ({ occur: "filter" as const, query: filterOf(random) })),
    ],
    ...(random.below(2) === 0 && occur === "should" && { minimumShouldMatch: 1 }),
  };
}

function orderOf(random: SeededRandom): readonly OrderKey[] {
  const n: OrderKey = { kind: "field", field: "n", descending: random.below(2) === 0 };
  return random.pick([
    [n],
    [{ ...n, field: "x" }],
    [{ kind: "score", descending: true }, n],
    [{ ...n, field: "x" }, n],
  ]);
}

function optionsOf(random: SeededRandom, query: Query): SearchOptions {
  return {
    query,
    offset: random.pick([0, 0, 0, 5]),
    limit: random.pick([0, 1, 3, 10, 10, 12, 13, 33, 100, 1023]),
    withCount: random.next() < 0.5,
    ...(random.below(4) === 0 && { facets: random.pick([["f"], ["fs"], ["fs", "f"]]) }),
    ...(random.below(3) === 0 && { orderBy: orderOf(random) }),
  };
}

/** Counts that weren't asked for may be anything. */
function answer(searcher: Searcher, options: SearchOptions): unknown {
  const { count, facets, hits } = searcher.rank(options);
  const isOrdered = options.orderBy !== undefined;
  return {
    count: options.withCount === true ? count : 0,
    facets: facets.map(({ field, nodes }) => [field, nodes]),
    hits: Array.from({ length: hits.length }, (_, place) => [
      hits.at(place),
      isOrdered ? hits.sortKeys(place) : [],
    ]),
  };
}

class Ended extends Error {}

function endAfter(searcher: Searcher, options: SearchOptions, checks: number): void {
  let left = checks;
  const interrupt = {
    check(): void {
      if (left-- <= 0) throw new Ended();
    },
  };
  try {
    searcher.rank({ ...options, interrupt });
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  }
}

/** Some live documents of a segment less. */
function deleteSome(random: SeededRandom, live: Uint32Array): Uint32Array {
  const left = live.slice();
  const share = random.pick([0.01, 0.1, 0.9]);
  for (let docId = 0; docId < 32 * left.length; docId++) {
    if (random.next() < share) left[docId >>> 5]! &= ~(1 << (docId & 31));
  }
  return left;
}

describe.skipIf(compiledKernels() === null)("snapshots that follow one another", () => {
  test.each(SEEDS)("are ranked as evaluators do: seed %i", async (seed) => {
    const random = new SeededRandom(seed * 7919);
    joiningPace.snapshotDocsMin = 0;
    joiningPace.usesMin = 1 + random.below(4);
    joiningPace.workPerDoc = random.pick([0, 1, 8]);
    joiningPace.docsPerUse = random.pick([256, Number.POSITIVE_INFINITY, 64]);
    kernelPace.postings = 100;
    const opened: Pair<OpenSegment>[] = [];
    const live: Uint32Array[] = [];
    for (let place = 0; place < SEGMENTS; place++) {
      const size = random.pick([1, 60, 511, 512, 700, 2000]);
      opened.push(await openPair(random, place, size));
      const bits = emptyBitset(size);
      for (let docId = 0; docId < size; docId++) setBit(bits, docId);
      live.push(bits);
    }
    const views = [...opened];
    const cache = new SegmentStatisticsCache();
    const queries = Array.from({ length: 14 }, () => queryOf(random));
    const present: number[] = [];
    let next = 0;
    const searchers: Pair<Searcher>[] = [];
    for (let snapshot = 0; snapshot < SNAPSHOTS; snapshot++) {
      const change = random.below(3);
      if (next === 0 || (change === 0 && next < SEGMENTS)) {
        present.push(next++);
      } else if (change === 1 && present.length > 1 && random.below(3) === 0) {
        present.splice(random.below(present.length), 1);
      } else {
        const place = random.pick(present);
        const left = deleteSome(random, live[place]!);
        live[place] = left;
        const { fast, plain } = opened[place]!;
        views[place] = { fast: fast.withLiveDocs(left), plain: plain.withLiveDocs(left) };
      }
      searchers.push({
        fast: new Searcher(
          present.map((place) => views[place]!.fast),
          schema,
          cache,
        ),
        plain: new Searcher(
          present.map((place) => views[place]!.plain),
          schema,
        ),
      });
      for (let search = 0; search < SEARCHES; search++) {
        const { fast, plain } = random.below(4) === 0 ? random.pick(searchers) : searchers.at(-1)!;
        const options = optionsOf(random, random.pick(queries));
        if (random.below(6) === 0) endAfter(fast, options, random.below(30));
        const inKernels = answer(fast, options);
        expect(inKernels, JSON.stringify(options)).toEqual(answer(plain, options));
      }
    }
  });
});
