/**
 * Terms, words, phrases and filters whose lists are joined over segments of which documents are deleted: alone, all of
 * several or any, they give the documents, scores and counts that segments give one by one, and only to the snapshot
 * that they were joined for.
 */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { setBit } from "../../bytes/bitset.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { imageThreshold } from "../../kernels/image-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { HITS_MAX } from "../../kernels/scratch-layout.js";
import { defineSchema } from "../../schema/define-schema.js";
import { type OpenSegment, openSegment } from "../../segment/open-segment.js";
import { JoinedOrder } from "../collectors/joined-order.js";
import type { PhraseQuery, Query } from "../query.js";
import type { OrderKey, RankedResult, SearchOptions } from "../search-types.js";
import { Searcher } from "../searcher.js";
import { SegmentStatisticsCache } from "../statistics/segment-statistics.js";
import { JoinedLists, joiningPace } from "./joined-lists.js";

const schema = defineSchema({ body: "text", title: "text", n: "u64", k: "keyword" });
const SHARES = { half: 0.5, tenth: 0.1, few: 0.02, rare: 0.002 };
const WORDS = [...Object.keys(SHARES), "absent"];

const before = { ...joiningPace };
const thresholdBefore = imageThreshold.bytes;

beforeEach(() => {
  joiningPace.workPerDoc = 0;
  joiningPace.docsPerUse = Number.POSITIVE_INFINITY;
  joiningPace.snapshotDocsMin = 0;
});

afterEach(() => {
  Object.assign(joiningPace, before);
  imageThreshold.bytes = thresholdBefore;
  vi.restoreAllMocks();
});

/** Segments of so many documents, in a share of which documents are deleted. */
async function segments(
  random: SeededRandom,
  sizes: readonly number[],
  deleted: number,
): Promise<OpenSegment[]> {
  const directory = new MemoryDirectory();
  const opened: OpenSegment[] = [];
  for (const [place, size] of sizes.entries()) {
    const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
    for (let n = 0; n < size; n++) {
      const words = Object.entries(SHARES).flatMap(([word, share]) =>
        random.next() < share ? Array<string>(1 + random.below(3)).fill(word) : [],
      );
      for (let filling = random.below(12); filling > 0; filling--) words.push("filling");
      const title = random.pick(["halb", "tents fewer", "rarely", "half hal"]);
      builder.add(`${place}f${n}`.padStart(32, "0"), { body: words.join(" "), title, ...valuesOf(random) });
    }
    await builder.write(directory, `s${place}`);
    const segment = await openSegment(directory, `s${place}`, schema, null);
    const live = new Uint32Array((size + 31) >>> 5);
    let isWhole = true;
    for (let n = 0; n < size; n++) {
      if (random.next() >= deleted) setBit(live, n);
      else isWhole = false;
    }
    opened.push(isWhole ? segment : segment.withLiveDocs(live));
  }
  return opened;
}

/** A number that others have, too, one that hardly any has, or none. */
function valuesOf(random: SeededRandom): Record<string, number | string> {
  if (random.next() < 0.2) return {};
  return { n: random.next() < 0.3 ? random.below(3) : random.below(1000), k: random.pick(["a", "B", "c"]) };
}

const term = (word: string, boost: number): Query =>
  boost === 1
    ? { kind: "term", field: "body", term: word }
    : { kind: "boost", factor: boost, query: { kind: "term", field: "body", term: word } };

/** A word has one weight at a time; of several in one search none is ranked by joined lists. */
const words = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
  .map((drawn) => drawn.map((word) => ({ word, boost: word === "few" ? 2.5 : 1 })));

const fuzzy = fc
  .record({
    term: fc.constantFrom("half", "haff", "tentt", "fe", "rarer", "zzzzz"),
    maxDistance: fc.constantFrom(1 as const, 2 as const),
    fields: fc.constantFrom<readonly { field: string; boost: number }[]>(
      [{ field: "body", boost: 1 }],
      [{ field: "body", boost: 2.5 }],
      [
        { field: "title", boost: 1 },
        { field: "body", boost: 2 },
      ],
      [{ field: "title", boost: 1 }],
    ),
    isShared: fc.boolean(),
  })
  .map(({ term: misspelt, maxDistance, fields, isShared }): Query => {
    const shared = isShared ? { statisticsFields: ["body", "title"] } : {};
    return { kind: "fuzzy", term: misspelt, maxDistance, fields, ...shared };
  });

const combined = fc
  .record({ words, occur: fc.constantFrom("must" as const, "should" as const) })
  .map(
    ({ words: drawn, occur }): Query =>
      drawn.length === 1
        ? term(drawn[0]!.word, drawn[0]!.boost)
        : { kind: "boolean", clauses: drawn.map(({ word, boost }) => ({ occur, query: term(word, boost) })) },
  );

const phrase = fc
  .record({
    terms: fc.array(fc.constantFrom("half", "half", "tenth", "few", "filling", "absent"), {
      minLength: 1,
      maxLength: 3,
    }),
    slop: fc.constantFrom(0, 0, 2),
    lastIsPrefix: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  })
  .map(({ terms, slop, lastIsPrefix }): Query => {
    const tokens = terms.map((token, position) => ({ term: token, position }));
    return { kind: "phrase", field: "body", terms: tokens, slop, lastIsPrefix };
  });

/** Of whatever lists are joined of, each with one weight. */
const mixed = fc
  .record({
    fuzzy,
    phrases: fc.array(phrase, { minLength: 1, maxLength: 2 }),
    word: fc.constantFrom("half", "tenth"),
    occur: fc.constantFrom("must" as const, "should" as const),
  })
  .map(
    ({ fuzzy: misspelt, phrases, word, occur }): Query => ({
      kind: "boolean",
      clauses: [term(word, 1), ...phrases, misspelt].map((part) => ({ occur, query: part })),
    }),
  );

const bound = fc.option(
  fc.record({ value: fc.constantFrom(0, 1, 2, 500, 999.5, -1), inclusive: fc.boolean() }),
  { nil: null },
);

const filter = fc.oneof<fc.Arbitrary<Query>[]>(
  fc.record({
    kind: fc.constant("prefix" as const),
    field: fc.constantFrom("body", "title"),
    prefix: fc.constantFrom("", "f", "ha", "ten", "z"),
  }),
  fc.record({
    kind: fc.constant("value_range" as const),
    field: fc.constant("n"),
    lower: bound,
    upper: bound,
  }),
  fc.record({
    kind: fc.constant("value_set" as const),
    field: fc.constant("k"),
    values: fc.subarray(["a", "B", "c", "d"], { minLength: 1 }),
  }),
  fc.record({ kind: fc.constant("exists" as const), field: fc.constantFrom("n", "body") }),
  fc.constant({
    kind: "term_range",
    field: "title",
    lower: null,
    upper: { value: "rarely", inclusive: false },
  }),
);

/** Whatever scores, of documents that pass filters. */
const filtered = fc
  .record({
    parts: fc.array(
      fc.oneof(
        phrase,
        words.map(([drawn]) => term(drawn!.word, drawn!.boost)),
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    occur: fc.constantFrom("must" as const, "should" as const),
    filters: fc.array(filter, { minLength: 1, maxLength: 3 }),
  })
  .map(
    ({ parts, occur, filters }): Query => ({
      kind: "boolean",
      clauses: [
        ...parts.map((part) => ({ occur, query: part })),
        ...filters.map((part) => ({ occur: "filter" as const, query: part })),
      ],
      ...(occur === "should" && { minimumShouldMatch: 1 }),
    }),
  );

/** Whether all that it consists of can be joined. */
function isJoinable(asked: Query): boolean {
  if (asked.kind === "exists") return asked.field !== "body";
  if (asked.kind === "boolean") {
    return asked.clauses.every((clause) => {
      // A phrase of nothing but a prefix is a filter, which isn't joined where it scores among others.
      const scoresAlike =
        clause.occur !== "filter" && clause.query.kind === "phrase" && isOnlyPrefix(clause.query);
      return !scoresAlike && isJoinable(clause.query);
    });
  }
  return asked.kind === "phrase" ? !asked.lastIsPrefix || isOnlyPrefix(asked) : asked.kind !== "match_all";
}

function isOnlyPrefix({ terms, lastIsPrefix }: PhraseQuery): boolean {
  return lastIsPrefix && terms.length === 1;
}

const query = fc.oneof(
  { arbitrary: combined, weight: 3 },
  { arbitrary: phrase, weight: 2 },
  { arbitrary: mixed, weight: 2 },
  { arbitrary: filter, weight: 2 },
  { arbitrary: filtered, weight: 3 },
  { arbitrary: fuzzy, weight: 1 },
  { arbitrary: fc.constant<Query>({ kind: "match_all" }), weight: 1 },
);

const orderBy = fc.constantFrom<readonly OrderKey[]>(
  [],
  [],
  [],
  ...[true, false].map((descending): OrderKey[] => [{ kind: "field", field: "n", descending }]),
  [{ kind: "field", field: "k", descending: false }],
  [
    { kind: "field", field: "n", descending: false },
    { kind: "field", field: "k", descending: true },
  ],
);

interface Search {
  readonly query: Query;
  readonly limit: number;
  readonly withCount: boolean;
  readonly orderBy: readonly OrderKey[];
}

/** An order of no keys stands for none. */
function optionsOf({ orderBy: order, ...rest }: Search): SearchOptions {
  return { ...rest, offset: 0, ...(order.length > 0 && { orderBy: order }) };
}

/** Counts that weren't asked for may be anything. */
function answer({ count, hits }: RankedResult, withCount = true): unknown {
  return {
    count: withCount ? count : 0,
    hits: Array.from({ length: hits.length }, (_, place) => ({
      ...hits.at(place),
      keys: hits.sortKeys(place),
    })),
  };
}

describe.skipIf(compiledKernels() === null)("joined lists", () => {
  test("give what segments give one by one", async () => {
    const taken = vi.spyOn(JoinedLists.prototype, "resultOf");
    const walked = vi.spyOn(JoinedOrder.prototype, "at");
    let takenCount = 0;
    let joinableCount = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 2 ** 31 - 1 }),
        fc.array(fc.constantFrom(1, 40, 700, 2500), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0, 0.1, 0.9),
        fc.constantFrom(0, thresholdBefore),
        fc.array(
          fc.record({
            query,
            limit: fc.constantFrom(0, 1, 3, 10, 40, 5000),
            withCount: fc.boolean(),
            orderBy,
          }),
          {
            minLength: 25,
            maxLength: 25,
          },
        ),
        async (seed, sizes, deleted, imageBytes, searches) => {
          imageThreshold.bytes = imageBytes;
          const opened = await segments(new SeededRandom(seed), sizes, deleted);
          joiningPace.usesMin = Number.POSITIVE_INFINITY;
          joiningPace.snapshotDocsMin = Number.POSITIVE_INFINITY;
          const one = new Searcher(opened, schema);
          joiningPace.snapshotDocsMin = 0;
          const expected = searches.map((search) => answer(one.rank(optionsOf(search)), search.withCount));
          joiningPace.usesMin = 1;
          taken.mockClear();
          const joined = new Searcher(opened, schema);
          for (const [i, search] of searches.entries()) {
            const found = joined.rank(optionsOf(search));
            expect(answer(found, search.withCount), JSON.stringify(search)).toEqual(expected[i]);
          }
          const isTaken = searches.filter(
            ({ query: asked, limit, orderBy: order }) =>
              isJoinable(asked) &&
              order.length === 0 &&
              limit > 0 &&
              joined.docCount > 0 &&
              Math.min(limit, joined.docCount) <= HITS_MAX,
          );
          takenCount += taken.mock.calls.length;
          joinableCount += isTaken.length;
        },
      ),
      { numRuns: 40 },
    );
    expect(walked).toHaveBeenCalled();
    // Where one search's lists have no room beside each other, segments are searched.
    expect(takenCount).toBeGreaterThan(0.9 * joinableCount);
  });

  // Nothing else lies where its bits do: at the beginning of the memory.
  test("leave out what a filter doesn't pass that was joined before all lists", async () => {
    const opened = await segments(new SeededRandom(7), [700, 40], 0.1);
    const range = { lower: null, upper: { value: 2, inclusive: false } };
    const filtered: Query = {
      kind: "boolean",
      clauses: [
        { occur: "must", query: { kind: "term", field: "body", term: "half" } },
        { occur: "filter", query: { kind: "value_range", field: "n", ...range } },
      ],
    };
    const options: SearchOptions = { query: filtered, offset: 0, limit: 40, withCount: true };
    joiningPace.usesMin = Number.POSITIVE_INFINITY;
    const expected = answer(new Searcher(opened, schema).rank(options));
    joiningPace.usesMin = 1;
    const taken = vi.spyOn(JoinedLists.prototype, "resultOf");
    expect(answer(new Searcher(opened, schema).rank(options))).toEqual(expected);
    expect(taken).toHaveBeenCalledTimes(1);
  });

  test("belong to the newest snapshot", async () => {
    const opened = await segments(new SeededRandom(7), [700, 300], 0.1);
    const cache = new SegmentStatisticsCache();
    joiningPace.usesMin = Number.POSITIVE_INFINITY;
    const searches = [term("half", 1), term("few", 1)].map((search) => ({
      query: search,
      offset: 0,
      limit: 10,
    }));
    const snapshots = [opened, opened.slice(0, 1), opened.slice(1)];
    const expected = snapshots.map((snapshot) =>
      searches.map((search) => answer(new Searcher(snapshot, schema).rank(search))),
    );
    joiningPace.usesMin = 1;
    const searchers: Searcher[] = [];
    for (const snapshot of snapshots) {
      searchers.push(new Searcher(snapshot, schema, cache));
      for (let round = 0; round < 3; round++) {
        for (const [place, searcher] of searchers.entries()) {
          expect(searches.map((search) => answer(searcher.rank(search)))).toEqual(expected[place]);
        }
      }
    }
  });
});
