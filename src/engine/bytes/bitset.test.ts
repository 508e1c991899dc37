// Properties: every function agrees with a plain set of numbers, word borders included.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  andInto,
  andNotInto,
  type Bitset,
  countBits,
  emptyBitset,
  nextSetBit,
  orInto,
  popcount,
  setBit,
  testBit,
} from "./bitset.js";

const SIZE = 130;
const numbers = fc.uniqueArray(fc.nat({ max: SIZE - 1 }), { maxLength: SIZE });

function bitsetOf(members: readonly number[]): Bitset {
  const bits = emptyBitset(SIZE);
  for (const member of members) setBit(bits, member);
  return bits;
}

function membersOf(bits: Bitset): number[] {
  return Array.from({ length: SIZE }, (_, index) => index).filter((index) => testBit(bits, index));
}

const ascending = (a: number, b: number): number => a - b;

describe("bitset", () => {
  test("set, test, count and walk", () => {
    fc.assert(
      fc.property(numbers, fc.nat({ max: SIZE }), (members, from) => {
        const bits = bitsetOf(members);
        const sorted = members.toSorted(ascending);
        expect(membersOf(bits)).toEqual(sorted);
        expect(countBits(bits)).toBe(members.length);
        expect(nextSetBit(bits, from)).toBe(sorted.find((m) => m >= from) ?? -1);
      }),
    );
  });

  test("and, or, and not", () => {
    fc.assert(
      fc.property(numbers, numbers, (left, right) => {
        const combined = (combine: (target: Bitset, other: Bitset) => void): number[] => {
          const target = bitsetOf(left);
          combine(target, bitsetOf(right));
          return membersOf(target);
        };
        const sorted = left.toSorted(ascending);
        expect(combined(andInto)).toEqual(sorted.filter((m) => right.includes(m)));
        expect(combined(andNotInto)).toEqual(sorted.filter((m) => !right.includes(m)));
        expect(combined(orInto)).toEqual([...new Set([...left, ...right])].toSorted(ascending));
      }),
    );
  });

  test("popcount of signed and unsigned words", () => {
    fc.assert(
      fc.property(fc.integer(), (word) => {
        expect(popcount(word)).toBe((word >>> 0).toString(2).replaceAll("0", "").length);
      }),
    );
  });
});
