// Documents kept and merged in any order are those of a plain sort, whatever the depth and the ties.
import fc from "fast-check";
import { expect, test } from "vitest";
import { WINDOW_SIZE, WINDOW_WORDS } from "../evaluators/evaluator.js";
import { FirstDocuments } from "./first-documents.js";
import type { OrderKeys } from "./order-keys.js";
import { RunMerge } from "./run-merge.js";
import { TopDocuments } from "./top-documents.js";

/** Few enough that ties are common; 0 = no value. */
const rank = fc.nat({ max: 3 });
const score = fc.constantFrom(0, 0.25, 1, 1.5, 1e10);
const documents = fc.array(fc.record({ ranks: fc.tuple(rank, rank), score, isMatch: fc.boolean() }), {
  maxLength: 200,
});
/** Some beyond what there is. */
const limit = fc.oneof(fc.nat({ max: 8 }), fc.nat({ max: 300 }));

interface Listed {
  readonly ranks: readonly [number, number];
  readonly score: number;
  readonly isMatch: boolean;
}

function keysOf(listed: readonly Listed[], column: 0 | 1): OrderKeys {
  return { rankOf: (docId) => listed[docId]!.ranks[column], sortKey: () => null };
}

/** Hands the documents over in two windows. */
function collectAll(
  listed: readonly Listed[],
  collect: (start: number, bits: Uint32Array, scores: Float32Array) => void,
): void {
  const half = listed.length >>> 1;
  for (const [from, to] of [
    [0, half],
    [half, listed.length],
  ] as const) {
    const bits = new Uint32Array(WINDOW_WORDS);
    const scores = new Float32Array(WINDOW_SIZE);
    for (let docId = from; docId < to; docId++) {
      scores[docId - from] = listed[docId]!.score;
      if (listed[docId]!.isMatch) bits[(docId - from) >>> 5]! |= 1 << ((docId - from) & 31);
    }
    collect(from, bits, scores);
  }
}

/** @param compare sign of the order of two documents; ties stay as they are */
function firstOf(
  listed: readonly Listed[],
  count: number,
  compare: (left: Listed, right: Listed) => number,
): number[] {
  return listed
    .map((document, docId) => ({ document, docId }))
    .filter(({ document }) => document.isMatch)
    .sort((left, right) => compare(left.document, right.document))
    .slice(0, count)
    .map(({ docId }) => docId);
}

function byRank(left: number, right: number, descending: boolean): number {
  if (left === 0 || right === 0) return Number(left === 0) - Number(right === 0);
  return descending ? right - left : left - right;
}

function kept(queue: FirstDocuments, listed: readonly Listed[]): number[] {
  collectAll(listed, (start, bits, scores) => queue.collect(start, bits, scores));
  queue.sort();
  return Array.from({ length: queue.length }, (_, place) => queue.docIdAt(place));
}

test("the best by score", () => {
  fc.assert(
    fc.property(documents, limit, (listed, count) => {
      const top = new TopDocuments(count);
      collectAll(listed, (start, bits, scores) => top.collect(0, start, bits, scores));
      const ranked = top.ranked();
      const hits = Array.from({ length: ranked.length }, (_, place) => ranked.at(place));
      expect(hits.map(({ docId }) => docId)).toEqual(firstOf(listed, count, (a, b) => b.score - a.score));
      for (const hit of hits) expect(hit.score).toBe(Math.fround(listed[hit.docId]!.score));
    }),
  );
});

test("the first by one key", () => {
  fc.assert(
    fc.property(documents, limit, fc.boolean(), (listed, count, descending) => {
      const queue = new FirstDocuments([{ keys: keysOf(listed, 0), isScore: false, descending }], count);
      expect(kept(queue, listed)).toEqual(
        firstOf(listed, count, (a, b) => byRank(a.ranks[0], b.ranks[0], descending)),
      );
    }),
  );
});

test("the first by several keys, the score among them", () => {
  const key = fc.record({
    column: fc.constantFrom(0 as const, 1 as const, "score" as const, "none" as const),
    descending: fc.boolean(),
  });
  fc.assert(
    fc.property(documents, limit, fc.array(key, { minLength: 1, maxLength: 4 }), (listed, count, order) => {
      const keys = order.map(({ column, descending }) => ({
        keys: typeof column === "number" ? keysOf(listed, column) : null,
        isScore: column === "score",
        descending,
      }));
      const queue = new FirstDocuments(keys, count);
      const expected = firstOf(listed, count, (a, b) => {
        for (const { column, descending } of order) {
          let result = 0;
          if (column === "score") result = descending ? b.score - a.score : a.score - b.score;
          else if (column !== "none") result = byRank(a.ranks[column], b.ranks[column], descending);
          if (result !== 0) return result;
        }
        return 0;
      });
      expect(kept(queue, listed)).toEqual(expected);
      const withScore = order.some(({ column }) => column === "score");
      for (const [place, docId] of expected.entries()) {
        expect(queue.scoreAt(place)).toBe(withScore ? Math.fround(listed[docId]!.score) : 1);
      }
    }),
    { numRuns: 300 },
  );
});

test("runs are merged as a stable sort does, as far as asked for", () => {
  const run = fc.array(fc.nat({ max: 9 }), { maxLength: 12 }).map((values) => values.sort((a, b) => a - b));
  fc.assert(
    fc.property(fc.array(run, { minLength: 1, maxLength: 4 }), fc.nat({ max: 60 }), (runs, depth) => {
      const expected = runs
        .flatMap((values, index) => values.map((value, place) => ({ value, index, place })))
        .sort((a, b) => a.value - b.value);
      const merge = (limit: number): RunMerge =>
        new RunMerge(
          runs.map((values) => Math.min(values.length, limit)),
          limit,
          (index, place, otherIndex, otherPlace) => runs[index]![place]! - runs[otherIndex]![otherPlace]!,
        );
      const places = (merged: RunMerge) =>
        Array.from({ length: merged.length }, (_, at) => ({
          index: merged.runAt(at),
          place: merged.placeAt(at),
        }));
      const wanted = expected.map(({ index, place }) => ({ index, place }));
      expect(places(merge(depth))).toEqual(wanted.slice(0, depth));
    }),
    { numRuns: 300 },
  );
});
