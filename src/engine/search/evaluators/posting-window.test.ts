/** Windows over a term's postings hold exactly its documents and frequencies, whatever candidates and skips. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { defineSchema } from "../../schema/define-schema.js";
import { NO_MORE_DOCS } from "../../schema/document.js";
import { openSegment } from "../../segment/open-segment.js";
import { WINDOW_SIZE } from "./evaluator.js";
import { PostingWindow } from "./posting-window.js";
import { WindowPool } from "./window-pool.js";

const schema = defineSchema({ text: "text" });

/** Frequencies by doc id, 0 = without the term: stretches of density 0 to 1; the last document has it. */
const frequencies = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 4000 }), fc.constantFrom(0, 0.001, 0.05, 0.5, 1), fc.nat()), {
    minLength: 1,
    maxLength: 6,
  })
  .map((stretches) =>
    stretches.flatMap(([length, density, seed]) =>
      Array.from({ length }, (_, i) => {
        const random = Math.abs(Math.sin(seed + i * 12.9898) * 43_758.5453) % 1;
        return random < density ? 1 + ((seed + i) % 3) : 0;
      }),
    ),
  )
  .map((freqs) => [...freqs, 1]);

const visits = fc.array(
  fc.record({
    visited: fc.constantFrom(true, true, false),
    withFreqs: fc.boolean(),
    /** Every so many doc ids is a candidate; 0 = all of them, without a bitset. */
    candidateEvery: fc.constantFrom(0, 1, 7, 130, 2000),
    asksBound: fc.boolean(),
  }),
  { minLength: 6, maxLength: 6 },
);

describe("PostingWindow", () => {
  test("gathers what a scan of the documents gives", async () => {
    await fc.assert(
      fc.asyncProperty(frequencies, visits, async (freqs, plan) => {
        const pool = new WindowPool();
        const window = await windowOf(freqs, pool);
        for (let windowStart = 0, at = 0; windowStart < freqs.length; windowStart += WINDOW_SIZE, at++) {
          const { visited, withFreqs, candidateEvery, asksBound } = plan[at % plan.length]!;
          if (asksBound) {
            const next = freqs.findIndex((freq, docId) => docId >= windowStart && freq > 0);
            const bound = window.nextDocBound(windowStart);
            expect(bound).toBeLessThanOrEqual(next < 0 ? NO_MORE_DOCS : next);
            expect(bound).toBeGreaterThanOrEqual(windowStart);
            if (next < 0) expect(bound).toBe(NO_MORE_DOCS);
          }
          if (!visited) continue;
          const isCandidate = (docId: number) => candidateEvery === 0 || docId % candidateEvery === 0;
          const candidates = candidateEvery === 0 ? null : new Uint32Array(WINDOW_SIZE / 32);
          const expected: [number, number][] = [];
          for (let offset = 0; offset < WINDOW_SIZE; offset++) {
            const docId = windowStart + offset;
            if (!isCandidate(docId)) continue;
            if (candidates !== null) candidates[offset >>> 5]! |= 1 << (offset & 31);
            const freq = freqs[docId] ?? 0;
            if (freq > 0) expected.push([offset, withFreqs ? freq : 0]);
          }
          const count = window.gather(windowStart, candidates, withFreqs);
          const gathered = Array.from({ length: count }, (_, i) => [
            pool.gatheredOffsets[i],
            withFreqs ? pool.gatheredFreqs[i] : 0,
          ]);
          expect(gathered).toEqual(expected);
        }
      }),
      { numRuns: 25 },
    );
  });
});

async function windowOf(freqs: readonly number[], pool: WindowPool): Promise<PostingWindow> {
  const builder = new SegmentBuilder(schema, createAnalyzer(schema.analyzer));
  freqs.forEach((freq, i) => {
    builder.add(String(i).padStart(32, "0"), { text: "x ".repeat(freq) });
  });
  const directory = new MemoryDirectory();
  await builder.write(directory, "s00000000");
  const terms = (await openSegment(directory, "s00000000", schema, null)).terms("text")!;
  return new PostingWindow(terms.postings(0), pool);
}
