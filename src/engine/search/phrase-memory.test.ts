/** Phrases take bounded memory, however many of them there are and whatever their words' occurrences. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../directory/memory-directory.js";
import { SegmentBuilder } from "../indexer/segment-builder.js";
import { defineSchema } from "../schema/define-schema.js";
import { openSegment } from "../segment/open-segment.js";
import type { PhraseQuery } from "./query.js";
import { Searcher } from "./searcher.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const schema = defineSchema({ body: "text" });
const MIB = 2 ** 20;

/** Documents of so many times four words. */
async function openSearcher(documents: number, pairs: number): Promise<Searcher> {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  for (let n = 0; n < documents; n++)
    builder.add(`${n}`.padStart(32, "0"), { body: "a ba a bb ".repeat(pairs) });
  await builder.write(directory, "s");
  return new Searcher([await openSegment(directory, "s", schema, null)], schema);
}

/** Bytes of typed arrays that a search for any of the phrases has more than before, and its number of matches. */
function peakOf(searcher: Searcher, phrases: readonly PhraseQuery[]): { bytes: number; count: number } {
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  let most = before;
  let checks = 0;
  const interrupt = {
    check(): void {
      if (++checks % 64 !== 0) return;
      collectGarbage();
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    },
  };
  const clauses = phrases.map((query) => ({ occur: "should" as const, query }));
  const query = { kind: "boolean" as const, clauses };
  const { count } = searcher.rank({ query, offset: 0, limit: 10, withCount: true, interrupt });
  return { bytes: most - before, count };
}

function phrase(words: readonly string[], slop: number, lastIsPrefix: boolean): PhraseQuery {
  const terms = words.map((term, position) => ({ term, position }));
  return { kind: "phrase", field: "body", terms, slop, lastIsPrefix };
}

test("one that ends in a prefix, which stands four million times", async () => {
  const searcher = await openSearcher(4000, 500);
  const { bytes, count } = peakOf(searcher, [phrase(["a", "b"], 0, true)]);
  expect(count).toBe(4000);
  expect(bytes).toBeLessThan(28 * MIB);
});

test("many that end in prefixes", async () => {
  const searcher = await openSearcher(2000, 250);
  // Told apart by their slop, so that none is known from another one.
  const phrases = Array.from({ length: 24 }, (_, slop) => phrase(["a", "b"], slop, true));
  const { bytes, count } = peakOf(searcher, phrases);
  expect(count).toBe(2000);
  expect(bytes).toBeLessThan(56 * MIB);
});

test("many in a document of many words", async () => {
  const searcher = await openSearcher(1, 100_000);
  const phrases = Array.from({ length: 50 }, (_, slop) => phrase(["a", "ba"], slop + 1, false));
  const { bytes, count } = peakOf(searcher, phrases);
  expect(count).toBe(1);
  expect(bytes).toBeLessThan(16 * MIB);
});
