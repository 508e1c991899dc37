/**
 * A few words as they are typed into a search box: kernels against the evaluators over the same segments. Words over few
 * letters stand in most orders beside each other, often in many documents, of which some are long; the last one may be
 * begun, words may be written as one, and filters may leave few documents.
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
import type { FuzzyQuery, Query, WordsReading } from "../query.js";
import type { SearchOptions } from "../search-types.js";
import { Searcher } from "../searcher.js";

const schema = defineSchema({ title: "text", body: "text", f: { kind: "facet", multi: true } });
const analyzer = createAnalyzer({ version: 1 });
const LETTERS = "abcd";

describe.skipIf(compiledKernels() === null)("words in kernels", () => {
  test("rank as the evaluators rank them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
        const random = new SeededRandom(seed);
        const { kernels, evaluators } = await searchers(random);
        for (let i = 0; i < 30; i++) {
          const options = randomSearch(random);
          const context = JSON.stringify(options);
          const expected = evaluators.search(options);
          const found = kernels.search(options);
          expect(found.hits, context).toEqual(expected.hits);
          if (options.withCount !== false) expect(found.count, context).toBe(expected.count);
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
  const exponent = 1 + random.below(4);
  const live: (Uint32Array | null)[] = [];
  for (let segment = 0; segment < 1 + random.below(2); segment++) {
    const builder = new SegmentBuilder(schema, analyzer);
    const size = random.pick([50, 2000, 6000]);
    for (let docId = 0; docId < size; docId++) {
      const length = random.below(20) === 0 ? 150 : 1 + random.below(8);
      builder.add((segment * 100_000 + docId).toString(16).padStart(32, "0"), {
        title: `${word(random, exponent)} ${word(random, exponent)}`,
        body: Array.from({ length }, () => word(random, exponent)).join(" "),
        f: [`/${random.below(3)}`],
      });
    }
    await builder.write(directory, `s${segment}`);
    live.push(random.below(2) === 0 ? null : liveDocs(random, size));
  }
  const open = async (imageBytes: number): Promise<Searcher> => {
    const before = imageThreshold.bytes;
    imageThreshold.bytes = imageBytes;
    try {
      const segments = await Promise.all(
        live.map(async (bits, segment) => {
          const reader = await openSegment(directory, `s${segment}`, schema, null);
          return bits === null ? reader : reader.withLiveDocs(bits);
        }),
      );
      return new Searcher(segments, schema);
    } finally {
      imageThreshold.bytes = before;
    }
  };
  return { kernels: await open(0), evaluators: await open(Number.POSITIVE_INFINITY) };
}

/** The greater the exponent, the more everyday words there are. */
function word(random: SeededRandom, exponent: number): string {
  const length = 1 + random.below(5);
  return Array.from({ length }, () => LETTERS[Math.floor(LETTERS.length * random.next() ** exponent)]).join(
    "",
  );
}

function liveDocs(random: SeededRandom, size: number): Uint32Array {
  const bits = emptyBitset(size);
  for (let docId = 0; docId < size; docId++) if (random.below(3) > 0) setBit(bits, docId);
  return bits;
}

function randomSearch(random: SeededRandom): SearchOptions {
  const query = wordsQuery(random);
  return {
    query: random.below(4) > 0 ? query : filtered(query, random),
    offset: 0,
    limit: random.pick([0, 1, 3, 10, 100]),
    ...(random.below(4) === 0 && { withCount: false }),
    ...(random.below(3) === 0 && { facets: ["f"] }),
  };
}

function filtered(query: Query, random: SeededRandom): Query {
  return {
    kind: "boolean",
    clauses: [
      { occur: "must", query },
      { occur: "filter", query: { kind: "facet", field: "f", paths: [`/${random.below(3)}`] } },
    ],
  };
}

function wordsQuery(random: SeededRandom): Query {
  const exponent = 1 + random.below(3);
  const words = Array.from({ length: 2 + random.below(2) }, () => word(random, exponent));
  const isTyped = random.below(2) === 0;
  const readings: WordsReading[] = words.map((term, start) => ({
    start,
    end: start + 1,
    position: start,
    query: fuzzy(term, random, isTyped && start === words.length - 1),
  }));
  if (random.below(2) === 0) {
    const query = { ...fuzzy(words[0]! + words[1]!, random, false), maxDistance: 0 as const };
    readings.push({ start: 0, end: 2, slips: 1, query });
  }
  if (random.below(5) === 0) {
    const query = { kind: "term" as const, field: "body", term: word(random, exponent) };
    readings.push({ start: 0, end: 0, counts: "score", query });
  }
  return { kind: "words", readings, ...(random.below(4) === 0 && { needsAll: true as const }) };
}

function fuzzy(term: string, random: SeededRandom, isTyped: boolean): FuzzyQuery {
  const maxDistance = random.pick([0, 1, 2] as const);
  return {
    kind: "fuzzy",
    term,
    maxDistance: term.length > maxDistance ? maxDistance : 0,
    ...(isTyped && { begun: { prefix: term, maxDistance: 0 as const } }),
    ...(random.below(3) === 0 && {
      rows: [{ terms: [word(random, 1), word(random, 1)], lastIsPrefix: random.below(2) === 0 }],
      ...(random.below(2) === 0 && { rowsComeBefore: random.below(2) === 0 ? (1 as const) : (2 as const) }),
    }),
    fields: [
      { field: "title", boost: random.pick([1, 2]) },
      { field: "body", boost: 1 },
    ],
  };
}
