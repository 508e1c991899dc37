/** The order is that of a plain comparison, for bytes and wider symbols, long shared prefixes and equal strings included. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { runWhole } from "../sliced-work.js";
import { sortStrings } from "./sort-strings.js";

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((symbol, i) => symbol !== b[i]);
  return at < 0 ? a.length - b.length : at < b.length ? a[at]! - b[at]! : 1;
}

function expectSorted(
  strings: readonly (readonly number[])[],
  Symbols: typeof Uint8Array | typeof Uint16Array,
): void {
  const starts = new Uint32Array(strings.length + 9);
  strings.forEach((string, i) => {
    starts[i + 1] = starts[i]! + string.length;
  });
  const order = new Uint32Array(strings.length);
  const sorted = strings.toSorted(compare);
  for (let i = 0; i < order.length; i++) order[i] = i;
  runWhole(sortStrings(order, Symbols.from(strings.flat()), starts));
  expect([...order].sort((a, b) => a - b)).toEqual(strings.map((_, i) => i));
  expect(Array.from(order, (index) => strings[index])).toEqual(sorted);
}

const strings = (symbol: fc.Arbitrary<number>) =>
  fc.array(
    fc
      .tuple(fc.constantFrom(0, 1, 2, 3, 7, 40), fc.array(symbol, { maxLength: 6 }))
      .map(([shared, rest]) => [...new Array<number>(shared).fill(5), ...rest]),
    { maxLength: 120 },
  );

it("sorts strings of bytes", () => {
  fc.assert(
    fc.property(strings(fc.constantFrom(0, 1, 5, 254, 255)), (input) => expectSorted(input, Uint8Array)),
    { numRuns: 200 },
  );
});

it("sorts strings of wider symbols", () => {
  fc.assert(
    fc.property(strings(fc.constantFrom(1, 5, 300, 65_534)), (input) => expectSorted(input, Uint16Array)),
    { numRuns: 200 },
  );
});

it("sorts hundreds of strings", () => {
  const symbols = [
    [Uint8Array, fc.constantFrom(0, 1, 5, 255)],
    [Uint16Array, fc.constantFrom(1, 5, 300, 65_534)],
  ] as const;
  for (const [Symbols, symbol] of symbols) {
    fc.assert(
      fc.property(fc.array(strings(symbol), { minLength: 8, maxLength: 20 }), fc.nat(4000), (parts, cut) => {
        const some = parts.flat();
        const many = Array.from({ length: 600 + cut }, (_, i) => some[(i * 7919) % (some.length + 1)] ?? []);
        expectSorted(many, Symbols);
      }),
      { numRuns: 25 },
    );
  }
});

it("sorts many strings of all symbols", () => {
  for (const [Symbols, max] of [
    [Uint8Array, 255],
    [Uint16Array, 65_534],
  ] as const) {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(1, 2, 5, 30), (seed, lengthMax) => {
        let state = seed;
        const next = (below: number): number => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
          return Math.floor(((state >>> 0) / 2 ** 32) * below);
        };
        const many = Array.from({ length: 2500 }, () =>
          Array.from({ length: next(lengthMax + 1) }, () => 1 + next(max)),
        );
        expectSorted(many, Symbols);
      }),
      { numRuns: 20 },
    );
  }
});

it("sorts many equal and nested strings", () => {
  expectSorted(
    Array.from({ length: 3000 }, (_, i) => new Array<number>((i * i) % 257).fill(9)),
    Uint8Array,
  );
  expectSorted(
    Array.from({ length: 500 }, (_, i) => new Array<number>(i % 37).fill(9)),
    Uint8Array,
  );
});
