/**
 * One typo-tolerant word alone: kernels against the evaluators over the same segments. Short words over few
 * letters, from everyday to unique, so that queries have hundreds of variants and few or no near ones.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { emptyBitset, setBit } from "../../bytes/bitset.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { imageThreshold } from "../../kernels/image-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { SearchOptions } from "../search-types.js";
import { Searcher } from "../searcher.js";

const schema = defineSchema({ title: "text", body: "text", f: { kind: "facet", multi: true } });
const analyzer = createAnalyzer({ version: 1 });
const LETTERS = "abcdefgh";

describe.skipIf(compiledKernels() === null)("rankWord", () => {
  test("gives what the evaluators give", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
        const random = new SeededRandom(seed);
        const { kernels, evaluators } = await searchers(random);
        for (let i = 0; i < 40; i++) {
          const options = randomSearch(random);
          const context = JSON.stringify(options);
          const expected = evaluators.search(options);
          const { withCount, ...counting } = options;
          const found = kernels.search(withCount === true ? counting : options);
          expect(found.hits, context).toEqual(expected.hits);
          if (withCount === true) expect(found.count, context).toBe(expected.count);
          expect(found.facets, context).toEqual(expected.facets);
        }
      }),
      { numRuns: Number(process.env["FINDLING_TEST_KERNEL_RUNS"] ?? 10) },
    );
  });
});

/** Searchers over some documents twice: in kernel memory, and not. */
async function searchers(
  random: SeededRandom,
): Promise<{ readonly kernels: Searcher; readonly evaluators: Searcher }> {
  const directory = new MemoryDirectory();
  const exponent = 1 + random.below(6);
  const live: (Uint32Array | null)[] = [];
  for (let segment = 0; segment < 1 + random.below(2); segment++) {
    const builder = new SegmentBuilder(schema, analyzer);
    const size = random.pick([50, 3000, 12_000]);
    for (let docId = 0; docId < size; docId++) {
      builder.add((segment * 100_000 + docId).toString(16).padStart(32, "0"), {
        title: word(random, exponent),
        body: Array.from({ length: 1 + random.below(5) }, () => word(random, exponent)).join(" "),
        f: [`/${random.below(3)}`],
      });
    }
    await builder.write(directory, `s${segment}`);
    live.push(random.next() < 0.5 ? null : someOf(random, size));
  }
  const open = async (imageBytes: number): Promise<Searcher> => {
    const before = imageThreshold.bytes;
    imageThreshold.bytes = imageBytes;
    try {
      const segments = [];
      for (const [segment, bits] of live.entries()) {
        const reader = await openSegment(directory, `s${segment}`, schema, null);
        segments.push(bits === null ? reader : reader.withLiveDocs(bits));
      }
      return new Searcher(segments, schema);
    } finally {
      imageThreshold.bytes = before;
    }
  };
  return { kernels: await open(0), evaluators: await open(Number.POSITIVE_INFINITY) };
}

/** The greater the exponent, the more often early letters come. */
function word(random: SeededRandom, exponent: number): string {
  return Array.from(
    { length: 2 + random.below(3) },
    () => LETTERS[Math.floor(LETTERS.length * random.next() ** exponent)]!,
  ).join("");
}

function someOf(random: SeededRandom, size: number): Uint32Array {
  const bits = emptyBitset(size);
  const share = random.next();
  for (let docId = 0; docId < size; docId++) if (random.next() < share) setBit(bits, docId);
  return bits;
}

function randomSearch(random: SeededRandom): SearchOptions {
  const fields = [
    { field: "title", boost: 1 + random.below(3) },
    { field: "body", boost: 1 },
  ];
  const letters = random.pick([1, 1, 3]);
  return {
    query: {
      kind: "fuzzy",
      term: `${word(random, letters)}${random.pick(["", "", "x", "xy"])}`,
      maxDistance: random.pick([1, 2, 2]) as 1 | 2,
      fields: random.pick([fields, fields.slice(1)]),
    },
    offset: 0,
    limit: random.pick([0, 1, 10, 100, 1000]),
    withCount: random.next() < 0.5,
    ...(random.next() < 0.2 && { facets: ["f"] }),
  };
}
