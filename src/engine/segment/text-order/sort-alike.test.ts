import fc from "fast-check";
import { expect, test } from "vitest";
import { compareBytes } from "../../schema/compare-bytes.js";
import { runWhole } from "../sliced-work.js";
import { GatheredStrings } from "./gathered-strings.js";
import { EQUALS_PREVIOUS, NUMBER, sortAlike } from "./sort-alike.js";

const CUT = 12;

/** Few different strings, many of them as long as there are, so that runs of both kinds come. */
const strings = fc
  .record({
    count: fc.constantFrom(0, 1, 40, 511, 512, 900, 9000),
    beginnings: fc.constantFrom(2, 40, 5000),
    seed: fc.nat(),
  })
  .map(({ count, beginnings, seed }) => {
    let state = seed | 1;
    const next = (below: number): number => {
      state = (Math.imul(state, 0x9e37_79b1) + 0x7f4a_7c15) | 0;
      return (state >>> 8) % below;
    };
    return Array.from({ length: count }, () => {
      const text = `${next(beginnings) * 7919}${"abcdefghijkl".slice(next(3))}`.slice(0, CUT);
      return Buffer.from(next(4) === 0 ? text.slice(0, next(CUT)) : text);
    });
  });

test("strings come in order, equal ones marked, and those cut alike as runs", () => {
  fc.assert(
    fc.property(strings, (values) => {
      const gathered = new GatheredStrings(CUT);
      for (const value of values) {
        const { piece } = gathered;
        piece.set(value, gathered.end);
        gathered.close(value.length);
      }
      const { order, runs } = runWhole(sortAlike(gathered, CUT));
      const numbers = [...order].map((entry) => entry & NUMBER);
      expect(numbers.toSorted((a, b) => a - b)).toEqual(values.map((_, i) => i));
      const inRuns = new Set<number>();
      for (let at = 0; at < runs.length; at += 2) {
        expect(runs[at + 1]! - runs[at]!).toBeGreaterThan(1);
        for (let i = runs[at]!; i < runs[at + 1]!; i++) inRuns.add(i);
      }
      numbers.forEach((number, i) => {
        const value = values[number]!;
        const before = i === 0 ? null : values[numbers[i - 1]!]!;
        const order1 = before === null ? -1 : compareBytes(before, value);
        expect(order1).toBeLessThanOrEqual(0);
        const isEqual = order1 === 0;
        const isCut = value.length === CUT;
        expect((order[i]! & EQUALS_PREVIOUS) !== 0).toBe(isEqual && !isCut);
        const next = i + 1 < numbers.length ? values[numbers[i + 1]!]! : null;
        const hasEqual = isEqual || (next !== null && compareBytes(value, next) === 0);
        expect(inRuns.has(i)).toBe(isCut && hasEqual);
      });
    }),
    { numRuns: 60 },
  );
});
