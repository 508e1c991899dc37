/**
 * Searches for so many words that adding up what they give in another order changes more than the sixth digit: hits are
 * those of the evaluators even so. All documents hold all words, and hardly differ in their scores.
 */
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { imageThreshold } from "../../kernels/image-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { Query } from "../query.js";
import type { RankedHit, SearchOptions } from "../search-types.js";
import { Searcher } from "../searcher.js";

const schema = defineSchema({ body: "text", at: "datetime" });
const WORDS = 254;
const SPACE = 6;

const before = imageThreshold.bytes;
afterEach(() => {
  imageThreshold.bytes = before;
});

test.skipIf(compiledKernels() === null)("gives what the evaluators give", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      fc.constantFrom(40, 300),
      async (seed, size) => {
        const random = new SeededRandom(seed);
        const [kernels, evaluators] = await searchers(random, size);
        for (let i = 0; i < 20; i++) {
          const decay = { field: "at", nowSeconds: 1_000_000, ratePerDay: 0.001 };
          const options = {
            query: alternating(random),
            offset: 0,
            limit: random.pick([1, 2, 10]),
            ...(random.next() < 0.3 && { timeDecay: decay }),
          };
          expect(hitsOf(kernels!, options)).toEqual(hitsOf(evaluators!, options));
        }
      },
    ),
    { numRuns: 6 },
  );
});

function hitsOf(searcher: Searcher, options: SearchOptions): readonly RankedHit[] {
  const { hits } = searcher.rank(options);
  return Array.from({ length: hits.length }, (_, place) => hits.at(place));
}

/** Every other word weighs the same, and one so little that it decides between documents that are alike otherwise. */
function alternating(random: SeededRandom): Query {
  const boosts = [0.1 + 5 * random.next(), 0.1 + 5 * random.next()];
  const least = WORDS * (boosts[0]! + boosts[1]!) * 1e-6 * 2 ** random.below(4);
  const words = Array.from({ length: WORDS }, (_, i) => boosted(`w${i}`, boosts[i % 2]!));
  const clauses = [...words, boosted("x", least)].map((query) => ({ occur: "should" as const, query }));
  return { kind: "boolean", clauses };
}

function boosted(term: string, factor: number): Query {
  return { kind: "boost", factor, query: { kind: "term", field: "body", term } };
}

/** Searchers over some documents twice: in kernel memory, and not. */
async function searchers(random: SeededRandom, size: number): Promise<Searcher[]> {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  const words = Array.from({ length: WORDS }, (_, i) => `w${i}`).join(" ");
  for (let docId = 0; docId < size; docId++) {
    const often = 1 + random.below(SPACE);
    const body = `${words}${" x".repeat(often)}${" filling".repeat(SPACE - often)}`;
    builder.add(String(docId).padStart(32, "0"), { body, at: "1970-01-10T00:00:00Z" });
  }
  await builder.write(directory, "s");
  const opened: Searcher[] = [];
  for (const imageBytes of [0, Number.POSITIVE_INFINITY]) {
    imageThreshold.bytes = imageBytes;
    opened.push(new Searcher([await openSegment(directory, "s", schema, null)], schema));
  }
  return opened;
}
