/**
 * The first documents of a word by a number: kernels against the evaluators over the same segments, some documents
 * deleted, some without a number, numbers alike, words from one document to nearly all.
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
import { Searcher } from "../searcher.js";

const schema = defineSchema({ body: "text", n: "u64" });
const analyzer = createAnalyzer({ version: 1 });
const WORDS = 12;

describe.skipIf(compiledKernels() === null)("firstOfTerm", () => {
  test("gives what the evaluators give", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
        const random = new SeededRandom(seed);
        const [kernels, evaluators] = await searchers(random);
        for (let i = 0; i < 40; i++) {
          const options = {
            query: { kind: "term", field: "body", term: `w${random.below(WORDS)}` },
            offset: 0,
            limit: random.pick([1, 3, 10, 64, 65]),
            orderBy: [{ kind: "field", field: "n", descending: random.next() < 0.5 }],
          } as const;
          expect(kernels!.search(options), JSON.stringify(options)).toEqual(evaluators!.search(options));
        }
      }),
      { numRuns: Number(process.env["FINDLING_TEST_KERNEL_RUNS"] ?? 10) },
    );
  });
});

/** Searchers over some documents twice: in kernel memory, and not. */
async function searchers(random: SeededRandom): Promise<Searcher[]> {
  const directory = new MemoryDirectory();
  const names = Array.from({ length: 1 + random.below(2) }, (_, segment) => `s${segment}`);
  const live: (Uint32Array | null)[] = [];
  for (const [segment, name] of names.entries()) {
    const builder = new SegmentBuilder(schema, analyzer);
    const size = random.pick([40, 1500, 6000]);
    const values = random.pick([3, 1000, 100_000]);
    for (let docId = 0; docId < size; docId++) {
      // The later the word, the rarer.
      const body = Array.from({ length: WORDS }, (_, word) =>
        random.below(3 ** word) === 0 ? `w${word}` : "x",
      );
      const number = random.below(20) === 0 ? {} : { n: random.below(values) };
      builder.add((segment * 100_000 + docId).toString(16).padStart(32, "0"), {
        body: body.join(" "),
        ...number,
      });
    }
    await builder.write(directory, name);
    const bits = emptyBitset(size);
    for (let docId = 0; docId < size; docId++) if (random.below(3) > 0) setBit(bits, docId);
    live.push(random.next() < 0.5 ? null : bits);
  }
  const opened: Searcher[] = [];
  const before = imageThreshold.bytes;
  try {
    for (const imageBytes of [0, Number.POSITIVE_INFINITY]) {
      imageThreshold.bytes = imageBytes;
      const readers = await Promise.all(names.map((name) => openSegment(directory, name, schema, null)));
      const segments = readers.map((reader, i) => (live[i] == null ? reader : reader.withLiveDocs(live[i])));
      opened.push(new Searcher(segments, schema));
    }
  } finally {
    imageThreshold.bytes = before;
  }
  return opened;
}
