/**
 * Documents that hold several frequent words, either of like length, so that frequencies alone tell most of them apart,
 * or with frequencies, lengths and boosts that are far apart: kernels against the evaluators over the same segments, some
 * documents deleted, in snapshots of several average lengths.
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
import type { CanonicalDocument } from "../../schema/document.js";
import { type OpenSegment, openSegment } from "../../segment/open-segment.js";
import type { BooleanQuery, Query } from "../query.js";
import { Searcher } from "../searcher.js";

const schema = defineSchema({ body: "text", title: "text", n: "u64" });
const analyzer = createAnalyzer({ version: 1 });
/** How often each place of a text has each word. */
const SHARES = [0.02, 0.01, 0.005, 0.003, 0.002];
/** How many documents have each word of extreme frequency. */
const EXTREME_SHARES = [0.9, 0.6, 0.3, 0.95];

/** What is searched, and for what. */
interface Corpus {
  /** Documents of each segment. */
  readonly sizes: readonly number[];
  /** Share of the documents that aren't deleted. */
  readonly liveShare: number;
  document(segment: number, docId: number): CanonicalDocument;
  query(): Query;
}

describe.skipIf(compiledKernels() === null)("frequent words", () => {
  test.each([
    ["of like length", alike],
    ["of extreme frequencies, lengths and boosts", extreme],
  ])("give what the evaluators give: %s", async (_, corpusOf) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
        const random = new SeededRandom(seed);
        const corpus = corpusOf(random);
        const { kernels, evaluators } = await searchers(random, corpus);
        for (let i = 0; i < 40; i++) {
          const snapshot = random.below(kernels.length);
          const options = {
            query: corpus.query(),
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

function alike(random: SeededRandom): Corpus {
  const shortest = random.pick([1, 20, 40]);
  return {
    sizes: [random.pick([1500, 6000, 9000]), random.pick([40, 2000])],
    liveShare: 0.8,
    document(segment) {
      // The second segment's are longer, so that the average lengths differ.
      const length = shortest + 100 * segment + random.below(20);
      return { body: Array.from({ length }, () => randomWord(random)).join(" ") };
    },
    query() {
      const words = SHARES.map((_, word) => word);
      const clauses = Array.from({ length: 2 + random.below(2) }, () => {
        const [word] = words.splice(random.below(words.length), 1);
        const query: Query = { kind: "term", field: "body", term: `w${word}` };
        const boosted: Query = random.below(4) === 0 ? { kind: "boost", factor: 3, query } : query;
        return { occur: "must", query: boosted } as const;
      });
      return { kind: "boolean", clauses };
    },
  };
}

/** How often a document has a word that it has. */
const FREQUENCIES: readonly ((random: SeededRandom, docId: number) => number)[] = [
  (random) => 1 + random.below(3),
  // Very rarely very often.
  (random) => (random.below(40) === 0 ? 1 + random.below(400) : 1),
  // Often at the beginning of each block of postings.
  (_, docId) => (docId % 128 < 3 ? 20 : 1),
  (random, docId) => 1 + random.below(1 + (docId % 30)),
];

function extreme(random: SeededRandom): Corpus {
  const frequency = random.pick(FREQUENCIES);
  const isOfLikeLength = random.next() < 0.7;
  const term = (): Query => ({
    kind: "term",
    field: random.below(5) === 0 ? "title" : "body",
    term: `w${random.below(EXTREME_SHARES.length)}`,
  });
  const boosted = (): Query => {
    const query = term();
    const factor = random.pick([1e-6, 0.01, 3, 1000, 1e6]);
    return random.below(3) === 0 ? { kind: "boost", factor, query } : query;
  };
  return {
    sizes: [random.pick([600, 1500, 4000]), random.pick([700, 2000])],
    liveShare: 0.6,
    document(_, docId) {
      const words = EXTREME_SHARES.flatMap((share, word) =>
        random.next() < share ? Array<string>(frequency(random, docId)).fill(`w${word}`) : [],
      );
      const title = words.slice(0, random.below(8)).join(" ");
      const others = isOfLikeLength
        ? Math.max(0, 30 - words.length) + (random.below(100) === 0 ? 0 : 5)
        : random.pick([0, 1, 2, 3, random.below(12) === 0 ? 1000 : 0]);
      words.push(...Array<string>(others).fill("x"));
      return { body: words.join(" "), title, n: random.below(12) };
    },
    query() {
      const clauses: BooleanQuery["clauses"] = Array.from({ length: 2 + random.below(2) }, () => ({
        occur: "must",
        query: boosted(),
      }));
      if (random.below(3) > 0) return { kind: "boolean", clauses };
      const lower = { value: random.below(10), inclusive: true };
      const range: Query = { kind: "value_range", field: "n", lower, upper: null };
      const occur = random.pick(["filter", "must_not"] as const);
      return { kind: "boolean", clauses: [...clauses, { occur, query: range }] };
    },
  };
}

/** Searchers over snapshots in kernel memory, and not. The first is of all segments, others of some or with deletes. */
async function searchers(
  random: SeededRandom,
  { sizes, liveShare, document }: Corpus,
): Promise<{ readonly kernels: readonly Searcher[]; readonly evaluators: readonly Searcher[] }> {
  const directory = new MemoryDirectory();
  const live: Uint32Array[] = [];
  for (const [segment, size] of sizes.entries()) {
    const builder = new SegmentBuilder(schema, analyzer);
    for (let n = 0; n < size; n++) {
      builder.add((segment * 100_000 + n).toString(16).padStart(32, "0"), document(segment, n));
    }
    await builder.write(directory, `s${segment}`);
    const bits = emptyBitset(size);
    for (let n = 0; n < size; n++) if (random.next() < liveShare) setBit(bits, n);
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
