/**
 * Documents that hold several frequent words, of like length, so that frequencies alone tell most of them apart: kernels
 * against the evaluators over the same segments, some documents deleted, in snapshots of several average lengths.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
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
import { joiningPace } from "./joined-lists.js";

const schema = defineSchema({ body: "text" });
const analyzer = createAnalyzer({ version: 1 });
/** Of words: how often each place of a text has them. */
const SHARES = [0.02, 0.01, 0.005, 0.003, 0.002];
const joiningBefore = joiningPace.usesMin;

// Words that are asked for time and again are joined, which is another test's.
beforeAll(() => {
  joiningPace.usesMin = Number.POSITIVE_INFINITY;
});

afterAll(() => {
  joiningPace.usesMin = joiningBefore;
});

describe.skipIf(compiledKernels() === null)("frequent words", () => {
  test("give what the evaluators give", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
        const random = new SeededRandom(seed);
        const { kernels, evaluators } = await searchers(random);
        for (let i = 0; i < 40; i++) {
          const snapshot = random.below(kernels.length);
          const options = {
            query: all(random),
            offset: 0,
            limit: random.pick([1, 3, 10, 10, 30]),
            withCount: random.next() < 0.3,
          };
          const expected = evaluators[snapshot]!.search({ ...options, withCount: true });
          const found = kernels[snapshot]!.search(options);
          expect(found.hits, JSON.stringify(options)).toEqual(expected.hits);
          if (options.withCount) expect(found.count).toBe(expected.count);
        }
      }),
      { numRuns: Number(process.env["FINDLING_TEST_KERNEL_RUNS"] ?? 6) },
    );
  });
});

function all(random: SeededRandom): Query {
  const words = SHARES.map((_, word) => word);
  const clauses = Array.from({ length: 2 + random.below(2) }, () => {
    const [word] = words.splice(random.below(words.length), 1);
    const query: Query = { kind: "term", field: "body", term: `w${word}` };
    const boosted: Query = random.below(4) === 0 ? { kind: "boost", factor: 3, query } : query;
    return { occur: "must", query: boosted } as const;
  });
  return { kind: "boolean", clauses };
}

/** The same snapshots twice: in kernel memory, and not. The first is of all segments, others of some or with deletes. */
async function searchers(
  random: SeededRandom,
): Promise<{ readonly kernels: readonly Searcher[]; readonly evaluators: readonly Searcher[] }> {
  const directory = new MemoryDirectory();
  const sizes = [random.pick([1500, 6000, 9000]), random.pick([40, 2000])];
  const shortest = random.pick([1, 20, 40]);
  const live: Uint32Array[] = [];
  for (const [segment, size] of sizes.entries()) {
    const builder = new SegmentBuilder(schema, analyzer);
    // The second segment's are longer, so that the average lengths differ.
    for (let n = 0; n < size; n++) {
      const length = shortest + 100 * segment + random.below(20);
      const body = Array.from({ length }, () => randomWord(random)).join(" ");
      builder.add((segment * 100_000 + n).toString(16).padStart(32, "0"), { body });
    }
    await builder.write(directory, `s${segment}`);
    const bits = emptyBitset(size);
    for (let n = 0; n < size; n++) if (random.next() < 0.8) setBit(bits, n);
    live.push(bits);
  }
  const open = async (imageBytes: number): Promise<readonly Searcher[]> => {
    const before = imageThreshold.bytes;
    imageThreshold.bytes = imageBytes;
    try {
      const opened: OpenSegment[] = [];
      for (const segment of sizes.keys())
        opened.push(await openSegment(directory, `s${segment}`, schema, null));
      const [first, second] = opened as [OpenSegment, OpenSegment];
      const deleted = opened.map((segment, place) => segment.withLiveDocs(live[place]!));
      return [[first, second], [first], [second], deleted].map((segments) => new Searcher(segments, schema));
    } finally {
      imageThreshold.bytes = before;
    }
  };
  return { kernels: await open(0), evaluators: await open(Number.POSITIVE_INFINITY) };
}

function randomWord(random: SeededRandom): string {
  let place = random.next();
  for (const [word, share] of SHARES.entries()) {
    if (place < share) return `w${word}`;
    place -= share;
  }
  return "x";
}
