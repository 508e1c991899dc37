/**
 * Orders by a number that are walked to the first documents of a word or filter: whatever the order has to do with who
 * these are, answers are a plain sort's; a walk that would take longer than going through the documents is given up, and
 * not begun again. Steps are counted, not timed.
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
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { SegmentReader } from "../../segment/segment-reader.js";
import type { Query } from "../query.js";
import { joiningPace } from "../ranking/joined-lists.js";
import { Searcher } from "../searcher.js";
import { FirstDocuments } from "./first-documents.js";
import { JoinedOrder } from "./joined-order.js";
import { WalksInVain } from "./walks-in-vain.js";

const schema = defineSchema({ body: "text", n: "u64", m: "u64" });
const analyzer = createAnalyzer({ version: 1 });
const pace = { ...joiningPace };
const threshold = imageThreshold.bytes;

beforeEach(() => {
  Object.assign(joiningPace, { snapshotDocsMin: 0, workPerDoc: 0, docsPerUse: Number.POSITIVE_INFINITY });
  imageThreshold.bytes = 0;
});

afterEach(() => {
  Object.assign(joiningPace, pace);
  imageThreshold.bytes = threshold;
  vi.restoreAllMocks();
});

interface Listed {
  readonly words: readonly string[];
  /** Null: it has none. */
  readonly n: number | null;
  /** In another order than by `n`. */
  readonly m: number;
  readonly isLive: boolean;
}

async function segmentOf(listed: readonly Listed[], ordinal = 0): Promise<SegmentReader> {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, analyzer);
  const live = new Uint32Array((listed.length + 31) >>> 5);
  for (const [docId, { words, n, m, isLive }] of listed.entries()) {
    const number = n === null ? {} : { n };
    builder.add(`${ordinal}f${docId}`.padStart(32, "0"), { body: words.join(" "), m, ...number });
    if (isLive) setBit(live, docId);
  }
  await builder.write(directory, "s");
  const segment = await openSegment(directory, "s", schema, null);
  return listed.every(({ isLive }) => isLive) ? segment : segment.withLiveDocs(live);
}

/** Words in the first, the last and some documents in the order, and in any. */
function wordsAt(place: number, random: SeededRandom): string[] {
  const words: string[] = ["all"];
  if (place < 0.2) words.push("first");
  if (place > 0.8) words.push("last");
  if (place > 0.4 && place < 0.6) words.push("middle");
  if (random.next() < (place > 0.7 ? 0.5 : 0.01)) words.push("mostly");
  if (random.next() < 0.3) words.push("any");
  return words;
}

function drawn(random: SeededRandom): Listed[][] {
  const values = random.pick([5, 300, 100_000]);
  const deleted = random.pick([0, 0.3]);
  const isAscending = random.next() < 0.5;
  return Array.from({ length: 1 + random.below(3) }, () =>
    Array.from({ length: random.pick([700, 5000]) }, (_, docId): Listed => {
      // Numbers ascend with doc ids, or don't.
      const place = isAscending ? docId / 5000 : random.next();
      return {
        words: wordsAt(place, random),
        n: random.next() < 0.02 ? null : Math.floor(place * values),
        m: random.below(values),
        isLive: random.next() >= deleted,
      };
    }),
  );
}

const word = (term: string): Query => ({ kind: "term", field: "body", term });
const above = (lower: number): Query => ({
  kind: "value_range",
  field: "n",
  lower: { value: lower, inclusive: true },
  upper: null,
});

/** What a plain sort gives: by segment and document. */
function expected(
  segments: readonly (readonly Listed[])[],
  matches: (document: Listed) => boolean,
  field: "n" | "m",
  descending: boolean,
): string[] {
  const found = segments.flatMap((listed, segmentIndex) =>
    listed.flatMap((document, docId) =>
      document.isLive && matches(document)
        ? [{ value: document[field], hit: `${segmentIndex}/${docId}` }]
        : [],
    ),
  );
  return found
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      return descending ? b.value - a.value : a.value - b.value;
    })
    .map(({ hit }) => hit);
}

describe.skipIf(compiledKernels() === null)("walked orders", () => {
  test("give what a plain sort gives, wherever the order puts the matches", async () => {
    const given = vi.spyOn(WalksInVain.prototype, "add");
    const skipped = vi.spyOn(WalksInVain.prototype, "has");
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
        const random = new SeededRandom(seed);
        const segments = drawn(random);
        const searcher = new Searcher(
          await Promise.all(segments.map((listed, place) => segmentOf(listed, place))),
          schema,
        );
        const bound = random.below(100_000);
        for (let i = 0; i < 120; i++) {
          const term = random.pick(["first", "last", "middle", "mostly", "any", "all", "absent"]);
          const isRange = random.below(4) === 0;
          const field = random.pick(["n", "n", "m"] as const);
          const descending = random.next() < 0.5;
          const limit = random.pick([1, 3, 10, 64, 65, 200]);
          const options = {
            query: isRange ? above(bound) : word(term),
            offset: 0,
            limit,
            orderBy: [{ kind: "field", field, descending }],
          } as const;
          const matches = (document: Listed): boolean =>
            isRange ? document.n !== null && document.n >= bound : document.words.includes(term);
          const all = expected(segments, matches, field, descending);
          const { count, hits } = searcher.rank(options);
          const found = Array.from({ length: hits.length }, (_, place) => hits.at(place));
          expect(count, JSON.stringify(options)).toBe(all.length);
          expect(
            found.map(({ segmentIndex, docId }) => `${segmentIndex}/${docId}`),
            JSON.stringify(options),
          ).toEqual(all.slice(0, limit));
        }
      }),
      { numRuns: Number(process.env["FINDLING_TEST_KERNEL_RUNS"] ?? 10) },
    );
    expect(given).toHaveBeenCalled();
    expect(skipped).toHaveReturnedWith(true);
  });

  test.each([
    { name: "a word", query: word("last") },
    { name: "a filter", query: above(18_000) },
  ])("$name at the far end is walked to once, and not all the way", async ({ query }) => {
    const docs = 20_000;
    const listed = Array.from({ length: docs }, (_, n) => ({
      words: n >= docs - 2000 ? ["last"] : ["other"],
      n,
      m: n,
      isLive: true,
    }));
    const searcher = new Searcher([await segmentOf(listed)], schema);
    const steps = countedSteps();
    const first = (descending: boolean, limit: number): number => {
      steps.count = 0;
      const orderBy = [{ kind: "field", field: "n", descending }] as const;
      const { count, hits } = searcher.rank({ query, offset: 0, limit, orderBy });
      expect(count).toBe(2000);
      expect(hits.at(0).docId).toBe(descending ? docs - 1 : docs - 2000);
      return steps.count;
    };
    // Until its bits are joined.
    for (let use = 0; use < 5; use++) first(false, 20);
    // From the near end.
    expect(first(true, 10)).toBe(10);
    expect(first(true, 100)).toBe(100);
    // From the far end it was given up, which another depth doesn't forget unless it may go farther.
    expect(steps.most).toBeGreaterThan(0);
    expect(steps.most).toBeLessThan(4000);
    expect([first(false, 20), first(false, 10), first(false, 1)]).toEqual([0, 0, 0]);
  });

  test("a segment's documents are passed for at most the time that taking its matches takes", () => {
    const docs = 20_000;
    const count = 4000;
    let steps = 0;
    const inOrder = new Proxy(
      new Uint32Array(docs).map((_, place) => place),
      {
        get(target, key) {
          if (typeof key === "string" && /^\d+$/.test(key)) steps++;
          return Reflect.get(target, key);
        },
      },
    );
    const matches = new Uint32Array(docs / 32);
    for (let docId = docs - count; docId < docs; docId++) setBit(matches, docId);
    const docStarts = new Uint32Array(docs + 1).map((_, place) => place);
    const first = (descending: boolean): number[] => {
      steps = 0;
      const queue = new FirstDocuments(
        {
          rankOf: (docId) => docId + 1,
          sortKey: () => null,
          inverted: { valueCount: docs, docStarts, docs: inOrder },
        },
        descending,
        3,
      );
      queue.collectAll(matches, count, null);
      queue.sort();
      return Array.from({ length: queue.length }, (_, place) => queue.docIdAt(place));
    };
    expect(first(true)).toEqual([docs - 1, docs - 2, docs - 3]);
    expect(steps).toBeLessThan(10);
    expect(first(false)).toEqual([docs - count, docs - count + 1, docs - count + 2]);
    expect(steps).toBeGreaterThan(0);
    expect(steps).toBeLessThanOrEqual(count);
  });
});

/** Documents of walked orders that are looked at: since `count` was set, and the most for one search. */
function countedSteps(): { count: number; most: number } {
  const counted = { count: 0, most: 0 };
  const known = Object.getOwnPropertyDescriptor(JoinedOrder.prototype, "known")!.get!;
  vi.spyOn(JoinedOrder.prototype, "known", "get").mockImplementation(function (this: JoinedOrder) {
    return new Proxy<readonly number[]>(known.call(this), {
      get(target, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) {
          counted.count++;
          counted.most = Math.max(counted.most, counted.count);
        }
        return Reflect.get(target, key);
      },
    });
  });
  return counted;
}
