/**
 * Positions of a prefix are those of all its terms, in order, however many documents they are gathered for at a time.
 * They are gathered and sorted in steps, with a look at the clock between them however few the terms and the documents
 * are, and never more of them at a time than there is room for.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { FieldTerms, SegmentReader } from "../../segment/segment-reader.js";
import { CandidateStretch } from "./candidate-stretch.js";
import { AllDocumentsEvaluator, DocListEvaluator } from "./document-evaluators.js";
import { type Evaluator, WINDOW_SIZE, WINDOW_WORDS } from "./evaluator.js";
import { GatheredPositions } from "./gathered-positions.js";
import { OccurrenceList } from "./occurrence-list.js";
import { WindowPool } from "./window-pool.js";

const schema = defineSchema({ body: "text" });

async function segmentOf(documents: number, textOf: (n: number) => string): Promise<SegmentReader> {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  for (let n = 0; n < documents; n++) builder.add(`${n}`.padStart(32, "0"), { body: textOf(n) });
  await builder.write(directory, "s");
  return openSegment(directory, "s", schema, null);
}

/** Positions of all terms in the candidates, document by document; empty ones where none of them stands. */
function gather(
  segment: SegmentReader,
  pool: WindowPool,
  evaluator: Evaluator = new AllDocumentsEvaluator(segment.maxDoc),
  range: { readonly first: number; readonly end: number } = { first: 0, end: termsOf(segment).termCount },
): Map<number, number[]> {
  const candidates = new CandidateStretch(evaluator, segment, pool);
  const source = new GatheredPositions(termsOf(segment), range, candidates, pool);
  const found = new Map<number, number[]>();
  const matches = new Uint32Array(WINDOW_WORDS);
  for (let bound = 0; (bound = candidates.nextMatchBound(bound)) < segment.maxDoc; ) {
    const windowStart = bound - (bound % WINDOW_SIZE);
    candidates.evaluate(windowStart, null, matches);
    for (let offset = 0; offset < WINDOW_SIZE; offset++) {
      if (((matches[offset >>> 5]! >>> (offset & 31)) & 1) === 0) continue;
      source.moveTo(windowStart + offset);
      found.set(windowStart + offset, [...source.positions.subarray(0, source.length)]);
    }
    source.endWindow(windowStart);
    bound = windowStart + WINDOW_SIZE;
  }
  source.release();
  return found;
}

function termsOf(segment: SegmentReader): FieldTerms {
  return segment.terms("body")!;
}

function checksOf(segment: SegmentReader): number {
  let checks = 0;
  gather(segment, new WindowPool({ check: () => void checks++ }));
  return checks;
}

/** As if other evaluators of the segment had taken their room; so many bytes are left to share. */
function leave(pool: WindowPool, bytes: number): void {
  pool.room.take(4 * (pool.room.share - bytes));
}

describe("looks at the clock", () => {
  test("one term in many documents", async () => {
    // Half a million positions are gathered, counted and placed, and sorted, with a look after each 65,536.
    expect(checksOf(await segmentOf(512, () => "b ".repeat(1024)))).toBeGreaterThanOrEqual(4 * 8);
  });

  test("few terms in one large document", async () => {
    const pairs = 1 << 17;
    const large = await segmentOf(1, () => "b c ".repeat(pairs));
    // Of two terms in one document each: gathered, counted and placed; eight runs are sorted and merged in three rounds.
    expect(checksOf(large)).toBeGreaterThanOrEqual(2 + 2 + 2 * 4 + 4 + 3 * 4);
    const positions = gather(large, new WindowPool()).get(0)!;
    expect(positions).toHaveLength(2 * pairs);
    expect(positions.every((position, i) => position === i)).toBe(true);
  });

  test("a walk over blocks in which few documents are candidates", async () => {
    const documents = 1 << 17;
    const segment = await segmentOf(documents, () => "b");
    const docs = Uint32Array.from({ length: documents >>> 5 }, (_, i) => i << 5);
    let checks = 0;
    const pool = new WindowPool({ check: () => void checks++ });
    const found = gather(segment, pool, new DocListEvaluator(docs));
    // Beside one for each of its windows.
    expect(checks).toBeGreaterThanOrEqual(documents / WINDOW_SIZE + 3);
    expect([...found.keys()]).toEqual([...docs]);
  });
});

describe("memory", () => {
  // Some two million occurrences in three windows, one document of which has a quarter of them.
  const documents = 3 * WINDOW_SIZE - 5;
  const textOf = (n: number): string => "ba bb bc ".repeat(n === 5000 ? 170_000 : n % 83);

  test.each([
    ["all the room", Number.POSITIVE_INFINITY],
    ["room for a window's documents", 100_000],
    ["none", 0],
  ])("with %s", async (_, bytes) => {
    const segment = await segmentOf(documents, textOf);
    const pool = new WindowPool();
    if (bytes < pool.room.share) leave(pool, bytes);
    const shareBefore = pool.room.share;
    let longest = 0;
    const take = pool.room.take.bind(pool.room);
    pool.room.take = (taken): void => {
      longest = Math.max(longest, taken);
      take(taken);
    };
    const found = gather(segment, pool);
    expect(found.size).toBe(documents);
    for (const [docId, positions] of found) {
      const count = (textOf(docId).length / 9) * 3;
      if (positions.length !== count || positions.some((position, i) => position !== i)) {
        expect.fail(`document ${docId} has ${positions.length} of ${count} positions`);
      }
    }
    expect(longest).toBeLessThanOrEqual(shareBefore);
    // All has been given back, and the large document's arrays are gone.
    expect(pool.room.share).toBe(shareBefore);
    expect(pool.occurrences.ranks.length).toBeLessThanOrEqual(1 << 20);
  });

  test("any candidates, terms, documents and room give the same positions", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom("ba", "bb", "bc", "a"), { maxLength: 30 }), { minLength: 1 }),
        fc.array(fc.nat(99)),
        fc.integer({ min: 1, max: 60 }),
        async (texts, docs, lengthMax) => {
          const segment = await segmentOf(texts.length, (n) => texts[n]!.join(" "));
          const candidates = [...new Set(docs)].filter((docId) => docId < texts.length).sort((a, b) => a - b);
          const pool = new WindowPool();
          const begin = pool.occurrences.begin.bind(pool.occurrences);
          pool.occurrences.begin = (end): void => begin(Math.min(end, lengthMax), lengthMax);
          const terms = termsOf(segment);
          const range = {
            first: terms?.lowerBound(new TextEncoder().encode("b")) ?? 0,
            end: terms?.termCount ?? 0,
          };
          if (range.first === range.end) return;
          const found = gather(segment, pool, new DocListEvaluator(Uint32Array.from(candidates)), range);
          expect([...found]).toEqual(
            candidates.map((docId) => [
              docId,
              texts[docId]!.flatMap((word, position) => (word.startsWith("b") ? [position] : [])),
            ]),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});

test("a list leaves out the last documents rather than grow, but for a single one", () => {
  const list = new OccurrenceList();
  list.begin(100, 50);
  for (let term = 0; term < 40; term++) {
    for (let rank = 0; rank < 100; rank++) {
      list.add(rank, Uint32Array.of(2 * term, 2 * term + 1), 2);
      if (list.end > 1) expect(list.length).toBeLessThanOrEqual(50);
    }
  }
  expect(list.end).toBe(1);
  expect([...list.positions.subarray(0, list.length)]).toEqual(Array.from({ length: 80 }, (_, i) => i));
  expect(list.ranks.subarray(0, list.length).every((rank) => rank === 0)).toBe(true);
});
