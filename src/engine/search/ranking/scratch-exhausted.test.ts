/**
 * Segments whose memory has no more room, at any moment of their first searches: evaluators take over where kernels
 * can't do without, and nothing is written where there is no room. Hits, counts and facets stay the same.
 */
import { afterEach, describe, expect, test } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { emptyBitset, setBit } from "../../bytes/bitset.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { imageThreshold } from "../../kernels/image-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { SegmentReader } from "../../segment/segment-reader.js";
import { runWhole } from "../../segment/sliced-work.js";
import type { Query } from "../query.js";
import type { SearchOptions } from "../search-types.js";
import { Searcher } from "../searcher.js";

const schema = defineSchema({ body: "text", n: "u64", f: "facet" });
const DOCUMENTS = 3000;

const term = (word: string): Query => ({ kind: "term", field: "body", term: word });
const some = (occur: "should" | "must", ...queries: Query[]): Query => ({
  kind: "boolean",
  clauses: queries.map((query) => ({ occur, query })),
});
const fuzzy: Query = { kind: "fuzzy", fields: [{ field: "body", boost: 1 }], term: "waa", maxDistance: 2 };
const phrase: Query = {
  kind: "phrase",
  field: "body",
  terms: [
    { term: "common", position: 0 },
    { term: "other", position: 1 },
  ],
  slop: 0,
  lastIsPrefix: false,
};
const page = { offset: 0, limit: 10 };
const SEARCHES: readonly SearchOptions[] = [
  { ...page, query: term("third") },
  { ...page, query: some("should", term("third"), term("rare")) },
  { ...page, query: some("must", term("third"), term("other")) },
  { ...page, query: term("rare"), orderBy: [{ kind: "field", field: "n", descending: true }] },
  { ...page, query: phrase },
  { ...page, query: term("third"), facets: ["f"] },
  { ...page, query: fuzzy },
  { ...page, query: some("should", fuzzy, phrase, term("rare")) },
];

const thresholdBefore = imageThreshold.bytes;

afterEach(() => {
  imageThreshold.bytes = thresholdBefore;
});

/** Takes all the room that a segment's memory has left. */
function exhaust({ image }: SegmentReader): void {
  for (let pages = 1 << 16; pages > 0; pages >>>= 1) {
    try {
      for (;;) image!.memory.grow(pages);
    } catch {
      // Half as many may be left.
    }
  }
}

describe.skipIf(compiledKernels() === null)("a segment without room", () => {
  test("is searched as ever, with and without deletions", async () => {
    const directory = new MemoryDirectory();
    const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
    for (let n = 0; n < DOCUMENTS; n++) {
      const letter = (digit: number): string => String.fromCharCode(97 + (digit % 26));
      const word = `w${letter(n)}${letter(n >> 3)}`;
      const body = `common other ${word} ${n % 3 === 0 ? "third" : "x"} ${n % 50 === 0 ? "rare" : ""}`;
      builder.add(n.toString(16).padStart(32, "0"), { body, n: (n * 7919) % 100_003, f: `/a/${n % 7}` });
    }
    await builder.write(directory, "s");
    const live = emptyBitset(DOCUMENTS);
    for (let n = 0; n < DOCUMENTS; n++) if (n % 11 !== 0) setBit(live, n);
    /** All documents, and those that are live, over the same memory. */
    const opened = async (bytes: number): Promise<readonly [SegmentReader, SegmentReader]> => {
      imageThreshold.bytes = bytes;
      const segment = await openSegment(directory, "s", schema, null);
      return [segment, segment.withLiveDocs(live)];
    };
    const searched = (segment: SegmentReader): Searcher => new Searcher([segment], schema);
    const evaluated = (await opened(Number.POSITIVE_INFINITY)).map((segment) => {
      const searcher = searched(segment);
      return SEARCHES.map((options) => searcher.search(options));
    });
    // The room is gone before the first search, or after one.
    for (let first = -1; first < SEARCHES.length; first++) {
      const segments = await opened(0);
      // Searches make them otherwise, where the image has a place for them.
      runWhole(segments[0].terms("body")!.tries!.make());
      const image = new Uint8Array(segments[0].image!.memory.buffer);
      const before = image.slice();
      if (first >= 0) searched(segments[0]).search(SEARCHES[first]!);
      exhaust(segments[0]);
      for (const place of [1, 0]) {
        const searcher = searched(segments[place]!);
        // What is asked for three times is worth keeping, if there is room.
        for (let round = 0; round < 4; round++) {
          for (const [i, options] of SEARCHES.entries()) {
            const context = `search ${i} in round ${round}, room for search ${first}`;
            expect(searcher.search(options), context).toEqual(evaluated[place]![i]);
          }
        }
      }
      expect(Buffer.compare(image, before)).toBe(0);
    }
  });
});
