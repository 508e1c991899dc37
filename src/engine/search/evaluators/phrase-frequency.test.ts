/**
 * Counting phrases agrees with trying every choice of positions, for repeated tokens, gaps, slop and
 * a last token that stands for several terms.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PhraseFrequency } from "./phrase-frequency.js";
import type { PositionSource } from "./position-sources.js";

/** The terms at positions 0, 1, … of a document; null is another term. */
const documentTerms = fc.array(fc.constantFrom("a", "ab", "b", null), { maxLength: 14 });
const phrase = fc.record({
  tokens: fc.array(fc.tuple(fc.constantFrom("a", "ab", "b"), fc.constantFrom(1, 1, 2, 3)), {
    minLength: 1,
    maxLength: 4,
  }),
  slop: fc.constantFrom(0, 0, 1, 2, 5),
  lastIsPrefix: fc.boolean(),
});

describe("PhraseFrequency", () => {
  test("agrees with trying every choice of positions", () => {
    fc.assert(
      fc.property(
        fc.array(documentTerms, { minLength: 1, maxLength: 3 }),
        phrase,
        (documents, { tokens, slop, lastIsPrefix }) => {
          let offset = -tokens[0]![1];
          const offsets = tokens.map(([, gap]) => (offset += gap));
          const sources = new Map(
            ["a", "ab", "b", "a*", "ab*", "b*"].map((name) => [name, new FakeSource()]),
          );
          const names = tokens.map(([term], i) =>
            lastIsPrefix && i === tokens.length - 1 ? `${term}*` : term,
          );
          const frequency = new PhraseFrequency(
            names.map((name, i) => ({ source: sources.get(name)!, offset: offsets[i]! })),
            slop,
          );
          // Several documents, so that nothing is left over from the one before.
          for (const terms of documents) {
            for (const [name, source] of sources) source.set(positionsOf(name, terms));
            const choices = names.map((name) => positionsOf(name, terms));
            expect(frequency.count()).toBe(countByTrying(choices, offsets, slop));
          }
        },
      ),
      { numRuns: 3000 },
    );
  });
});

function positionsOf(name: string, terms: readonly (string | null)[]): number[] {
  const prefix = name.endsWith("*") ? name.slice(0, -1) : null;
  return terms.flatMap((term, position) =>
    term !== null && (prefix === null ? term === name : term.startsWith(prefix)) ? [position] : [],
  );
}

function countByTrying(
  choices: readonly (readonly number[])[],
  offsets: readonly number[],
  slop: number,
): number {
  const starts = new Set<number>();
  const choose = (chosen: readonly number[]): void => {
    if (chosen.length === choices.length) {
      const displacements = chosen.map((position, i) => position - offsets[i]!);
      const least = Math.min(...displacements);
      if (Math.max(...displacements) - least <= slop) starts.add(least);
      return;
    }
    for (const position of choices[chosen.length]!) {
      if (!chosen.includes(position)) choose([...chosen, position]);
    }
  };
  choose([]);
  return starts.size;
}

class FakeSource implements PositionSource {
  positions: Uint32Array = new Uint32Array(16).fill(99);
  length = 0;

  set(positions: readonly number[]): void {
    this.positions.fill(99);
    this.positions.set(positions);
    this.length = positions.length;
  }

  moveTo(): void {
    throw new Error("counting doesn't move");
  }
}
