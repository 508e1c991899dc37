/**
 * Phrases over whole segments with postings of many blocks and long position lists match and score as
 * counted document by document, prefixes included.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { PhraseQuery } from "../query.js";
import { Searcher } from "../searcher.js";

const schema = defineSchema({ text: "text" });
const WORDS = ["a", "ab", "abc", "b", "c"];

/** 700 documents; some letters are in nearly all of them, and up to 60 times. */
const texts = fc.nat().map((seed) => {
  let state = seed + 1;
  const random = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % limit;
  };
  return Array.from({ length: 700 }, (_, i) =>
    Array.from(
      { length: i % 5 === 0 ? 60 : random(6) },
      () => WORDS[random(i % 3 === 0 ? 2 : WORDS.length)]!,
    ),
  );
});
const phrase = fc
  .record({
    words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
    gap: fc.constantFrom(1, 2),
    slop: fc.constantFrom(0, 1, 4),
    lastIsPrefix: fc.boolean(),
  })
  .map(
    ({ words, gap, slop, lastIsPrefix }): PhraseQuery => ({
      kind: "phrase",
      field: "text",
      terms: words.map((term, i) => ({ term, position: i * gap })),
      slop: words.length > 2 ? 0 : slop,
      lastIsPrefix,
    }),
  );

describe("phrases", () => {
  test("match and score as counted document by document", async () => {
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.array(phrase, { minLength: 12, maxLength: 12 }),
        async (documents, phrases) => {
          const builder = new SegmentBuilder(schema, createAnalyzer(schema.analyzer));
          documents.forEach((words, i) => {
            builder.add(idOf(i), { text: words.join(" ") });
          });
          const directory = new MemoryDirectory();
          await builder.write(directory, "s00000000");
          const searcher = new Searcher([await openSegment(directory, "s00000000", schema, null)], schema);
          for (const query of phrases) {
            const { hits } = searcher.search({ query, offset: 0, limit: 1000 });
            const found = new Map(hits.map(({ documentId, score }) => [documentId, score]));
            const frequencies = documents.map((words) => countStarts(words, query));
            const context = JSON.stringify(query);
            expect([...found.keys()].sort(), context).toEqual(
              frequencies.flatMap((freq, i) => (freq > 0 ? [idOf(i)] : [])),
            );
            if (query.terms.length === 1 && query.lastIsPrefix) continue;
            expectScoresByFrequency(documents, frequencies, found, context);
          }
        },
      ),
      { numRuns: 8 },
    );
  });
});

function idOf(i: number): string {
  return String(i).padStart(32, "0");
}

/** Number of different least displacements over all choices of positions. */
function countStarts(words: readonly string[], query: PhraseQuery): number {
  const starts = new Set<number>();
  const choose = (token: number, chosen: readonly number[], least: number, greatest: number): void => {
    if (greatest - least > query.slop) return;
    if (token === query.terms.length) {
      starts.add(least);
      return;
    }
    const { term, position } = query.terms[token]!;
    const isPrefix = query.lastIsPrefix && token === query.terms.length - 1;
    words.forEach((word, at) => {
      if (chosen.includes(at) || !(isPrefix ? word.startsWith(term) : word === term)) return;
      const displacement = at - position;
      choose(token + 1, [...chosen, at], Math.min(least, displacement), Math.max(greatest, displacement));
    });
  };
  choose(0, [], Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
  return starts.size;
}

/** Scores divided by the frequency part of BM25 are one and the same number: the idf part. */
function expectScoresByFrequency(
  documents: readonly (readonly string[])[],
  frequencies: readonly number[],
  found: ReadonlyMap<string, number>,
  context: string,
): void {
  const filled = documents.filter((words) => words.length > 0);
  const average = filled.reduce((sum, words) => sum + words.length, 0) / filled.length;
  // Lengths up to 40 are kept exactly; 60 is one of the 8 codes from 40 to 104.
  const normOf = (length: number): number => (length <= 40 ? length : Math.floor((length - 40) / 2) * 2 + 40);
  const idfParts = frequencies.flatMap((freq, i) => {
    if (freq === 0) return [];
    const saturation = freq / (freq + 1.2 * (0.25 + (0.75 * normOf(documents[i]!.length)) / average));
    return [found.get(idOf(i))! / saturation];
  });
  for (const idfPart of idfParts) expect(idfPart / idfParts[0]!, context).toBeCloseTo(1, 4);
}
