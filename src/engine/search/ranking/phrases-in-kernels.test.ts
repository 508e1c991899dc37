/**
 * Phrases by kernel against the evaluators: documents from one token to twenty thousand, so that positions
 * take 1 to 15 bits; words in nearly every document and in a few; the same word twice, gaps of any length,
 * the rarer word first or last. Hits, scores to the last bit and counts must be the same.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
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
/** Tokens of documents, at most; long ones are few. */
const LENGTHS = [6, 12, 30, 60, 63, 65, 90, 130, 300, 700];

describe.skipIf(compiledKernels() === null)("phrases in kernels", () => {
  test("are found and scored as the evaluators do", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
        const generator = new SeededRandom(seed);
        const random = (): number => generator.next();
        const vocabulary = 4 + Math.floor(random() * 60);
        const passages = Array.from({ length: 6 }, () =>
          random() < 0.5 ? words(random, vocabulary, 4) : rareWords(random, 4),
        );
        const [kernels, evaluators] = await searchers(random, vocabulary, passages);
        for (let i = 0; i < 80; i++) {
          const query = phrase(random, vocabulary, passages);
          const options = { query, offset: 0, limit: [1, 3, 10, 100][Math.floor(random() * 4)]! };
          const expected = evaluators!.search(options);
          expect(kernels!.search(options), JSON.stringify(options)).toEqual(expected);
          const { hits } = kernels!.search({ ...options, withCount: false });
          expect(hits, JSON.stringify(options)).toEqual(expected.hits);
        }
      }),
      { numRuns: Number(process.env["FINDLING_TEST_KERNEL_RUNS"] ?? 10) },
    );
  });
});

test.skipIf(compiledKernels() === null)(
  "a list that ends before the other's last block isn't read beyond its end",
  async () => {
    const directory = new MemoryDirectory();
    const builder = new SegmentBuilder(schema, analyzer);
    // What follows beta's list has the same documents, relative to where that ends, as alpha's has.
    for (let doc = 0; doc < 20_000; doc++) {
      const first = doc < 128 || doc === 700 ? "alpha" : "xx";
      const second = doc < 199 ? "beta" : doc >= 400 && doc < 700 ? "gamma" : "yy";
      builder.add(String(doc).padStart(32, "0"), { body: `${first} ${second}` });
    }
    await builder.write(directory, "s1");
    const [kernels, evaluators] = await openTwice(directory);
    const terms = ["alpha", "beta"].map((term, position) => ({ term, position }));
    const query: Query = { kind: "phrase", field: "body", terms, slop: 0, lastIsPrefix: false };
    for (const limit of [1, 10, 1000]) {
      const options = { query, offset: 0, limit };
      const expected = evaluators!.search(options);
      expect(expected.count).toBe(128);
      expect(kernels!.search(options)).toEqual(expected);
      expect(kernels!.search({ ...options, withCount: false }).hits).toEqual(expected.hits);
    }
  },
);

/** Searchers over some documents, few long ones or many short ones, twice: in kernel memory, and not. */
async function searchers(
  random: () => number,
  vocabulary: number,
  passages: readonly (readonly string[])[],
): Promise<Searcher[]> {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, analyzer);
  const areMany = random() < 0.5;
  const size = 100 + Math.floor(random() * (areMany ? 9000 : 1000));
  const lengths = areMany ? LENGTHS.slice(0, 2) : LENGTHS;
  for (let i = 0; i < size; i++) {
    const longest = !areMany && random() < 0.002 ? 20_000 : lengths[Math.floor(random() * lengths.length)]!;
    const body = words(random, vocabulary, 1 + Math.floor(random() * longest));
    if (random() < 0.05) body.push(...rareWords(random, 1));
    if (random() < 0.15) body.splice(Math.floor(random() * body.length), 0, ...passage(random, passages));
    builder.add(String(i).padStart(32, "0"), { body: body.join(" ") });
  }
  await builder.write(directory, "s1");
  return openTwice(directory);
}

/** In kernel memory, and not. */
async function openTwice(directory: MemoryDirectory): Promise<Searcher[]> {
  const before = imageThreshold.bytes;
  const opened: Searcher[] = [];
  try {
    for (const imageBytes of [0, Number.POSITIVE_INFINITY]) {
      imageThreshold.bytes = imageBytes;
      opened.push(new Searcher([await openSegment(directory, "s1", schema, null)], schema));
    }
  } finally {
    imageThreshold.bytes = before;
  }
  return opened;
}

/** Lower ones are more frequent by far. */
function words(random: () => number, vocabulary: number, count: number): string[] {
  return Array.from({ length: count }, () => `w${Math.floor(vocabulary * random() ** 3)}`);
}

/** Too rare for bits of their own, yet in more than one block of a large segment. */
function rareWords(random: () => number, count: number): string[] {
  return Array.from({ length: count }, () => `r${Math.floor(random() * 8)}`);
}

/** Some words of a passage that follow one another. */
function passage(random: () => number, passages: readonly (readonly string[])[]): readonly string[] {
  const whole = passages[Math.floor(random() * passages.length)]!;
  return whole.slice(Math.floor(random() * 2), 2 + Math.ceil(random() * 2));
}

function phrase(random: () => number, vocabulary: number, passages: readonly (readonly string[])[]): Query {
  let position = Math.floor(random() * 3);
  if (random() < 0.5) {
    const terms = passage(random, passages).map((term) => ({ term, position: position++ }));
    return { kind: "phrase", field: "body", terms, slop: 0, lastIsPrefix: false };
  }
  const terms = words(random, vocabulary, 1 + Math.ceil(random() * random() * 4)).map((term) => {
    const token = { term, position };
    // The same place, too: then both words would have to stand there.
    position += random() < 0.8 ? 1 : [0, 2, 63, 64, 65, 200, 1024][Math.floor(random() * 7)]!;
    return token;
  });
  return { kind: "phrase", field: "body", terms, slop: 0, lastIsPrefix: false };
}
