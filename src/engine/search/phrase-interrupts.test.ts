/**
 * Phrases of many tokens, in documents with many positions, look at the clock as often as other work does that takes as
 * long: by kernels and by evaluators, with and without a slop, within a window of documents and within a document.
 */
import { afterEach, describe, expect, test } from "vitest";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../directory/memory-directory.js";
import { SegmentBuilder } from "../indexer/segment-builder.js";
import { imageThreshold } from "../kernels/image-memory.js";
import { compiledKernels } from "../kernels/kernel-module.js";
import { defineSchema } from "../schema/define-schema.js";
import { openSegment } from "../segment/open-segment.js";
import type { PhraseQuery } from "./query.js";
import { Searcher } from "./searcher.js";

const schema = defineSchema({ body: "text" });
const before = imageThreshold.bytes;

afterEach(() => {
  imageThreshold.bytes = before;
});

async function openSearcher(documents: number, pairs: number, thresholdBytes: number): Promise<Searcher> {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  for (let n = 0; n < documents; n++) builder.add(`${n}`.padStart(32, "0"), { body: "a b ".repeat(pairs) });
  await builder.write(directory, "s");
  imageThreshold.bytes = thresholdBytes;
  return new Searcher([await openSegment(directory, "s", schema, null)], schema);
}

function phrase(tokens: number, slop = 0): PhraseQuery {
  const terms = Array.from({ length: tokens }, (_, position) => ({ term: "ab"[position % 2]!, position }));
  return { kind: "phrase", field: "body", terms, slop, lastIsPrefix: false };
}

function checksOf(searcher: Searcher, query: PhraseQuery): number {
  let checks = 0;
  const interrupt = { check: () => void checks++ };
  searcher.rank({ query, offset: 0, limit: 10, withCount: true, interrupt });
  return checks;
}

describe.skipIf(compiledKernels() === null)("by kernels", () => {
  test("many tokens", async () => {
    const searcher = await openSearcher(100, 400, 0);
    // Some 400 × 64 in each of the documents, all of which are in one block.
    expect(checksOf(searcher, phrase(64)) - checksOf(searcher, phrase(2))).toBeGreaterThanOrEqual(8);
  });

  test("many positions of two tokens", async () => {
    const searcher = await openSearcher(400, 1000, 0);
    expect(checksOf(searcher, phrase(2))).toBeGreaterThanOrEqual(3);
  });
});

describe("by evaluators", () => {
  test.each([
    ["many tokens", phrase(64), 100, 400, 20],
    ["more tokens than kernels take", phrase(200), 20, 400, 10],
    ["tokens that may stand apart", phrase(2, 3), 100, 400, 5],
    ["many of them in a single document", phrase(12, 5), 1, 6400, 5],
  ])("%s", async (_, query, documents, pairs, checksMin) => {
    const searcher = await openSearcher(documents, pairs, Number.POSITIVE_INFINITY);
    expect(checksOf(searcher, query)).toBeGreaterThanOrEqual(checksMin);
  });

  test("a search is ended within a document", async () => {
    const searcher = await openSearcher(1, 6400, Number.POSITIVE_INFINITY);
    const query = phrase(12, 5);
    const expected = searcher.search({ query, offset: 0, limit: 1 });
    const checks = checksOf(searcher, query);
    expect(checks).toBeGreaterThan(checksOf(searcher, phrase(1)) + 1);
    for (let last = 0; last < checks; last++) {
      let left = last;
      const interrupt = {
        check(): void {
          if (left-- === 0) throw new RangeError("the time is over");
        },
      };
      expect(() => searcher.rank({ query, offset: 0, limit: 1, interrupt })).toThrow(RangeError);
      expect(searcher.search({ query, offset: 0, limit: 1 })).toEqual(expected);
    }
  });
});
