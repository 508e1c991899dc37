/**
 * Words that are asked for again and again, alone and with others, for more and fewer hits: what kernels remember of
 * them changes no answer. Many documents score the same, some are deleted.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { emptyBitset, setBit } from "../../bytes/bitset.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { imageThreshold } from "../../kernels/image-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { Query } from "../query.js";
import { Searcher } from "../searcher.js";

const schema = defineSchema({ body: "text" });
const analyzer = createAnalyzer({ version: 1 });
/** The later, the rarer: in all documents, in a half, and so on. */
const WORDS = 10;
const LENGTHS = [0, 0, 0, 1, 5, 40];

test.skipIf(compiledKernels() === null)("gives what the evaluators give", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
      const random = new SeededRandom(seed);
      const [kernels, evaluators] = await searchers(random);
      const words = Array.from({ length: 3 }, () => random.below(WORDS));
      const expected = new Map<string, unknown>();
      for (let i = 0; i < 60; i++) {
        const options = {
          query: query(random, words),
          offset: 0,
          limit: random.pick([1, 3, 10, 10, 10, 12, 33, 100]),
          withCount: random.next() < 0.5,
        };
        const asked = JSON.stringify(options);
        if (!expected.has(asked)) expected.set(asked, evaluators!.search({ ...options, withCount: true }));
        const answer = kernels!.search(options);
        if (options.withCount) expect(answer, asked).toEqual(expected.get(asked));
        else expect(answer.hits, asked).toEqual((expected.get(asked) as typeof answer).hits);
      }
    }),
    { numRuns: Number(process.env["FINDLING_TEST_KERNEL_RUNS"] ?? 12) },
  );
});

function query(random: SeededRandom, words: readonly number[]): Query {
  const term = (): Query => {
    const own: Query = { kind: "term", field: "body", term: `w${random.pick(words)}` };
    return random.below(5) === 0 ? { kind: "boost", factor: 1.7, query: own } : own;
  };
  if (random.next() < 0.5) return term();
  const occur = random.next() < 0.7 ? "should" : "must";
  const clauses = Array.from({ length: 2 + random.below(2) }, () => ({ occur, query: term() }) as const);
  return { kind: "boolean", clauses };
}

/** Searchers over some documents twice: in kernel memory, and not. */
async function searchers(random: SeededRandom): Promise<Searcher[]> {
  const directory = new MemoryDirectory();
  const sizes = Array.from({ length: 1 + random.below(2) }, () => random.pick([60, 700, 3000, 9000]));
  const live: (Uint32Array | null)[] = [];
  for (const [segment, size] of sizes.entries()) {
    const builder = new SegmentBuilder(schema, analyzer);
    for (let docId = 0; docId < size; docId++) {
      const body = Array.from({ length: WORDS }, (_, word) =>
        random.below(2 ** word) === 0 ? `w${word}` : "",
      );
      const more = Array<string>(random.pick(LENGTHS)).fill(
        random.next() < 0.2 ? `w${random.below(WORDS)}` : "x",
      );
      const id = (segment * 100_000 + docId).toString(16).padStart(32, "0");
      builder.add(id, { body: [...body, ...more].join(" ") });
    }
    await builder.write(directory, `s${segment}`);
    const bits = emptyBitset(size);
    for (let docId = 0; docId < size; docId++) if (random.below(3) > 0) setBit(bits, docId);
    live.push(random.next() < 0.7 ? null : bits);
  }
  const opened: Searcher[] = [];
  const before = imageThreshold.bytes;
  try {
    for (const imageBytes of [0, Number.POSITIVE_INFINITY]) {
      imageThreshold.bytes = imageBytes;
      const readers = await Promise.all(sizes.map((_, s) => openSegment(directory, `s${s}`, schema, null)));
      const segments = readers.map((reader, s) => (live[s] == null ? reader : reader.withLiveDocs(live[s])));
      opened.push(new Searcher(segments, schema));
    }
  } finally {
    imageThreshold.bytes = before;
  }
  return opened;
}
