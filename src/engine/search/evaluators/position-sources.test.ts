/**
 * Positions of a prefix are gathered and sorted in steps, with a look at the clock between them however few the terms and
 * the documents are; they are those of all its terms, in order.
 */
import { expect, test } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import { CollectedPositions } from "./position-sources.js";

const schema = defineSchema({ body: "text" });

async function termsOf(documents: number, text: string): Promise<FieldTerms> {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  for (let n = 0; n < documents; n++) builder.add(`${n}`.padStart(32, "0"), { body: text });
  await builder.write(directory, "s");
  return (await openSegment(directory, "s", schema, null)).terms("body")!;
}

/** Of all terms in the first documents. */
function collect(terms: FieldTerms, documents: number, check: () => void): CollectedPositions {
  const candidates = new Uint32Array((documents + 31) >>> 5).fill(-1);
  return new CollectedPositions(terms, { first: 0, end: terms.termCount }, candidates, { check });
}

function checksOf(terms: FieldTerms, documents: number): number {
  let checks = 0;
  collect(terms, documents, () => void checks++);
  return checks;
}

test("one term in many documents", async () => {
  const documents = 512;
  const terms = await termsOf(documents, "b ".repeat(1024));
  // Half a million positions are gathered, counted, placed and sorted, with a look after each 65,536.
  expect(checksOf(terms, documents)).toBeGreaterThanOrEqual(4 * 8);
});

test("few terms in one large document", async () => {
  const pairs = 1 << 17;
  const large = await termsOf(1, "b c ".repeat(pairs));
  // Of two terms in one document each: gathered, counted and placed; eight runs are sorted and merged in three rounds.
  expect(checksOf(large, 1)).toBeGreaterThanOrEqual(2 + 2 + 2 * 4 + 4 + 3 * 4);
  const positions = collect(large, 1, () => undefined);
  positions.moveTo(0);
  expect(positions.length).toBe(2 * pairs);
  expect(positions.positions.every((position, i) => position === i)).toBe(true);
});

test("a walk over blocks in which few documents are candidates", async () => {
  const documents = 1 << 17;
  const terms = await termsOf(documents, "b");
  let checks = 0;
  const candidates = new Uint32Array(documents >>> 5).fill(1);
  const range = { first: 0, end: terms.termCount };
  const positions = new CollectedPositions(terms, range, candidates, { check: () => void checks++ });
  expect(checks).toBeGreaterThanOrEqual(5);
  expect(positions.docs()).toEqual(candidates);
});
