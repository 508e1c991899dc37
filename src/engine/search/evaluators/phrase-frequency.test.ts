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

  test("agrees where few words come again and again", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", null), { maxLength: 9 }),
        fc.array(fc.constantFrom("a", "b"), { minLength: 4, maxLength: 6 }),
        fc.constantFrom(1, 3, 8),
        fc.boolean(),
        (terms, tokens, slop, lastIsPrefix) => {
          const names = tokens.map((term, i) =>
            lastIsPrefix && i === tokens.length - 1 ? `${term}*` : term,
          );
          const sources = new Map(["a", "b", "a*", "b*"].map((name) => [name, new FakeSource()]));
          for (const [name, source] of sources) source.set(positionsOf(name, terms));
          const counting = names.map((name, offset) => ({ source: sources.get(name)!, offset }));
          const choices = names.map((name) => positionsOf(name, terms));
          const expected = countByTrying(choices, [...names.keys()], slop);
          expect(new PhraseFrequency(counting, slop).count()).toBe(expected);
        },
      ),
      { numRuns: 1000 },
    );
  });

  // A phrase of a hundred words, even ones at all even positions, odd ones at the odd, and one at the end. Starts at any
  // distance are even, from that of the last even word at the first position to the only exact one.
  test.each([
    ["apart by any distance", 1_000_000, 10_000],
    ["exact, up to a rare word at the end", 0, 1],
  ])("asks its interrupt all along in a long document: %s", (_, slop, starts) => {
    let reads = 0;
    let readsMax = 0;
    let left = Number.POSITIVE_INFINITY;
    const interrupt = {
      check(): void {
        readsMax = Math.max(readsMax, reads);
        reads = 0;
        if (left-- === 0) throw new RangeError("the time is over");
      },
    };
    const onRead = (): void => void reads++;
    const evenOnes = new CountedSource(10_000, (i) => 2 * i, onRead);
    const oddOnes = new CountedSource(10_000, (i) => 2 * i + 1, onRead);
    const last = new CountedSource(1, () => 20_000, onRead);
    const tokens = Array.from({ length: 100 }, (_, offset) => ({
      source: offset % 2 === 0 ? evenOnes : oddOnes,
      offset,
    }));
    tokens.push({ source: last, offset: 100 });
    expect(new PhraseFrequency(tokens, slop, interrupt).count()).toBe(starts);
    // 65,536 positions, each looked at five times at most.
    expect(Math.max(readsMax, reads)).toBeLessThan(400_000);
    for (left of [0, 5, 10]) {
      expect(() => new PhraseFrequency(tokens, slop, interrupt).count()).toThrow(RangeError);
    }
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

/** Tells of each look at one of its positions. */
class CountedSource implements PositionSource {
  readonly positions: Uint32Array;
  readonly length: number;

  constructor(length: number, positionOf: (index: number) => number, onRead: () => void) {
    this.length = length;
    this.positions = new Proxy(
      Uint32Array.from({ length }, (_, i) => positionOf(i)),
      {
        get(positions, index): number {
          onRead();
          return positions[Number(index)]!;
        },
      },
    );
  }

  moveTo(): void {
    throw new Error("counting doesn't move");
  }
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
