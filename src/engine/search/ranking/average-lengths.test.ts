/**
 * Snapshots that share a segment, and differ in nothing but the average length that scores depend on: kernels score by
 * their own.
 */
import { expect, test } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { emptyBitset, setBit } from "../../bytes/bitset.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { imageThreshold } from "../../kernels/image-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { defineSchema } from "../../schema/define-schema.js";
import { type OpenSegment, openSegment } from "../../segment/open-segment.js";
import type { Query } from "../query.js";
import { Searcher } from "../searcher.js";

const schema = defineSchema({ body: "text" });
const DOCUMENTS = 300;
const WITHOUT = 1;

const term = (word: string): Query => ({ kind: "term", field: "body", term: word });
const both = (occur: "should" | "must"): Query => ({
  kind: "boolean",
  clauses: ["third", "fifth"].map((word) => ({ occur, query: term(word) })),
});
const QUERIES = [term("third"), term("fifth"), both("should"), both("must")];

async function write(directory: MemoryDirectory, name: string, bodies: readonly string[]): Promise<void> {
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  bodies.forEach((body, n) => {
    builder.add(`${name}${n.toString(16)}`.padStart(32, "0"), { body });
  });
  await builder.write(directory, name);
}

test.skipIf(compiledKernels() === null)("lengths alone change between two snapshots", async () => {
  const directory = new MemoryDirectory();
  const bodies = Array.from({ length: DOCUMENTS }, (_, n) => {
    const words = [n % 3 === 0 ? "third" : "x", n % 5 === 0 ? "fifth" : "y"];
    return [...words, ...Array<string>(n % 17).fill("more")].join(" ");
  });
  await write(directory, "a", bodies);
  await write(directory, "b", [Array<string>(2000).fill("long").join(" ")]);
  const live = emptyBitset(DOCUMENTS);
  for (let n = 0; n < DOCUMENTS; n++) if (n !== WITHOUT) setBit(live, n);
  /** One document more in place of one that is deleted; neither holds a word of the queries. */
  const snapshots = async (imageBytes: number): Promise<readonly Searcher[]> => {
    const before = imageThreshold.bytes;
    imageThreshold.bytes = imageBytes;
    const opened: OpenSegment[] = [];
    for (const name of ["a", "b"]) opened.push(await openSegment(directory, name, schema, null));
    imageThreshold.bytes = before;
    const [shared, added] = opened as [OpenSegment, OpenSegment];
    return [new Searcher([shared], schema), new Searcher([shared.withLiveDocs(live), added], schema)];
  };
  const evaluators = await snapshots(Number.POSITIVE_INFINITY);
  const kernels = await snapshots(0);
  for (const query of QUERIES) {
    const options = { query, offset: 0, limit: 10 };
    const expected = evaluators.map((searcher) => searcher.search(options));
    expect(expected[0]!.count).toBe(expected[1]!.count);
    expect(expected[0]!.hits[0]!.score).not.toBe(expected[1]!.hits[0]!.score);
    // Three times each, so that the lists are kept, then in turns.
    for (const snapshot of [0, 0, 0, 1, 1, 1, 0, 1, 0]) {
      expect(kernels[snapshot]!.search(options), JSON.stringify(query)).toEqual(expected[snapshot]);
    }
  }
});
