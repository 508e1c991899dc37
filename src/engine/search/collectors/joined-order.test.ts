/** Orders by a value that are walked: how far, past what, and what becomes of them when the time is over on the way. */
import { expect, test } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { setBit } from "../../bytes/bitset.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import { NO_INTERRUPT } from "../search-interrupt.js";
import { SegmentStatistics } from "../statistics/segment-statistics.js";
import { JoinedOrder } from "./joined-order.js";

const schema = defineSchema({ n: "u64" });

/** A segment of documents with these values, of which those that `isLive` names are left. */
async function segment(
  values: readonly number[],
  isLive: (docId: number) => boolean,
): Promise<SegmentStatistics> {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  for (const [docId, n] of values.entries()) builder.add(`${docId}`.padStart(32, "0"), { n });
  await builder.write(directory, "s");
  const live = new Uint32Array((values.length + 31) >>> 5);
  for (let docId = 0; docId < values.length; docId++) if (isLive(docId)) setBit(live, docId);
  return new SegmentStatistics((await openSegment(directory, "s", schema, null)).withLiveDocs(live));
}

test.each([false, true])(
  "deleted documents are passed with an eye on the clock, and not too many",
  async (descending) => {
    const docs = 20_000;
    const values = Array.from({ length: docs }, (_, n) => (descending ? docs - n : n));
    const deleted = await segment(values, (docId) => docId >= docs - 20);
    const order = new JoinedOrder([deleted], [0], "n", descending);
    let checks = 0;
    const interrupt = { check: () => void checks++ };
    expect(order.at(0, interrupt)).toBe(-1);
    expect(checks).toBe(16_384 / 256);
    expect(order.at(0, interrupt)).toBe(-1);
    expect(checks).toBe(16_384 / 256);
  },
);

test("those that end early on the way go on where they were", async () => {
  const values = Array.from({ length: 1500 }, (_, n) => (n * 7919) % 500);
  const isLive = (docId: number): boolean => docId % 3 !== 0 && values[docId]! % 50 > 10;
  const segments = [await segment(values, isLive), await segment(values, (docId) => docId % 7 === 0)];
  const starts = [0, 1536];
  const expected = values
    .flatMap((n, docId) => [
      ...(isLive(docId) ? [{ n, doc: docId }] : []),
      ...(docId % 7 === 0 ? [{ n, doc: 1536 + docId }] : []),
    ])
    .sort((a, b) => a.n - b.n || a.doc - b.doc)
    .map(({ doc }) => doc);
  const order = new JoinedOrder(segments, starts, "n", false);
  const found: number[] = [];
  let ends = 0;
  for (let place = 0; place <= expected.length; place++) {
    let isOver = true;
    const once = {
      check(): void {
        isOver = !isOver;
        if (!isOver) throw new Error("the time is over");
      },
    };
    let doc: number | null = null;
    while (doc === null) {
      try {
        doc = order.at(place, once);
      } catch {
        ends++;
      }
    }
    found.push(doc);
  }
  expect(ends).toBeGreaterThan(5);
  expect(found).toEqual([...expected, -1]);
  expect(order.at(expected.length, NO_INTERRUPT)).toBe(-1);
});
