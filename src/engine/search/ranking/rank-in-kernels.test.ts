/**
 * Kernels against the evaluators over the same segments: random vocabularies from everyday to rare,
 * several segments, deletions, filters, exclusions, nested clauses, several fields with boosts, decay. Hits,
 * scores to the last bit, counts, facets and order must be the same.
 */
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import {
  aboutBounds,
  analyzer,
  fewMatches,
  oneValue,
  type RandomSearch,
  randomDocument,
  randomLiveDocs,
  randomSearch,
  range,
  schema,
  some,
} from "../../../../tests/kit/random-searches.js";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { imageThreshold } from "../../kernels/image-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { kernelPace } from "../../kernels/segment-kernels.js";
import { openSegment } from "../../segment/open-segment.js";
import type { SegmentReader } from "../../segment/segment-reader.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { Searcher } from "../searcher.js";

const postingsBefore = kernelPace.postings;

afterEach(() => {
  kernelPace.postings = postingsBefore;
});

test("kernels are there wherever everything has to be tested", () => {
  const isBuilt = compiledKernels() !== null;
  if (process.env["FINDLING_TEST_ALL"] === "1") expect(isBuilt).toBe(true);
});

describe.skipIf(compiledKernels() === null)("rankInKernels", () => {
  test("gives what the evaluators give", () => compare(randomSearch, 12));

  test("lists few matches, wherever the search before was left", async () => {
    kernelPace.postings = 100;
    await compare(
      (random) => ({ ...fewMatches(random), facets: ["f"] }),
      6,
      (searcher, random) => {
        const left = {
          ...fewMatches(random),
          facets: ["f"],
          interrupt: endingAfter(Math.floor(random() * 8)),
        };
        try {
          searcher.search(left);
        } catch (error) {
          if (error !== ended) throw error;
        }
      },
    );
  });

  test("lists no more matches and groups than there is room for", () =>
    compare((random) => ({ ...aboutBounds(random), facets: ["f"] }), 8));

  test("takes the documents of one value as they are listed", () =>
    compare(
      (random) => ({
        query: oneValue(random),
        offset: 0,
        limit: [0, 1, 20, 100][Math.floor(random() * 4)]!,
        withCount: true,
        facets: ["f"],
      }),
      6,
    ));

  test("asks filters of the documents of words", () =>
    compare((random) => ({ ...randomSearch(random), query: some(random, "must", [range(random)]) }), 4));
});

const ended = new Error("ended");

/** Ends a search when it has asked so often. */
function endingAfter(checks: number): SearchInterrupt {
  let left = checks;
  return {
    check() {
      if (left-- === 0) throw ended;
    },
  };
}

/** Over random documents, 60 searches of each; `FINDLING_TEST_KERNEL_RUNS` times as a longer test. */
async function compare(
  search: (random: () => number) => RandomSearch,
  runs: number,
  before: (kernels: Searcher, random: () => number) => void = () => undefined,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
      const generator = new SeededRandom(seed);
      const random = (): number => generator.next();
      const { kernels, evaluators } = await searchers(random);
      for (let i = 0; i < 60; i++) {
        const options = search(random);
        const context = JSON.stringify(options);
        const expected = evaluators.search(options);
        const { withCount, ...counting } = options;
        before(kernels, random);
        const found = kernels.search(withCount ? counting : options);
        expect(found.hits, context).toEqual(expected.hits);
        if (withCount) expect(found.count, context).toBe(expected.count);
        expect(found.facets, context).toEqual(expected.facets);
      }
    }),
    { numRuns: Number(process.env["FINDLING_TEST_KERNEL_RUNS"] ?? runs) },
  );
}

/** Searchers over some documents twice: in kernel memory, and not. */
async function searchers(
  random: () => number,
): Promise<{ readonly kernels: Searcher; readonly evaluators: Searcher }> {
  const directory = new MemoryDirectory();
  const names: string[] = [];
  const deletions: (Uint32Array | null)[] = [];
  const segmentCount = 1 + Math.floor(random() * 3);
  for (let segment = 0; segment < segmentCount; segment++) {
    const builder = new SegmentBuilder(schema, analyzer);
    const size = 1 + Math.floor(random() * random() * 12_000);
    const paths = random() < 0.3 ? 1 : 2;
    for (let i = 0; i < size; i++) builder.add(hexId(segment, i), randomDocument(random, paths, i));
    const name = `s${segment}`;
    await builder.write(directory, name);
    names.push(name);
    deletions.push(random() < 0.5 ? null : randomLiveDocs(random, size));
  }
  const open = async (imageBytes: number): Promise<Searcher> => {
    const before = imageThreshold.bytes;
    imageThreshold.bytes = imageBytes;
    try {
      const segments: SegmentReader[] = [];
      for (const [i, name] of names.entries()) {
        const segment = await openSegment(directory, name, schema, null);
        segments.push(deletions[i] === null ? segment : segment.withLiveDocs(deletions[i]!));
      }
      return new Searcher(segments, schema);
    } finally {
      imageThreshold.bytes = before;
    }
  };
  return { kernels: await open(0), evaluators: await open(Number.POSITIVE_INFINITY) };
}

function hexId(segment: number, i: number): string {
  return `${segment}${i}`.padStart(32, "0");
}
