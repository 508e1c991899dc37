/** The order is that of a plain comparison, for bytes and wider symbols, long shared prefixes and equal strings included. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { runWhole } from "../sliced-work.js";
import { sortSymbolStrings } from "./sort-symbol-strings.js";

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((symbol, i) => symbol !== b[i]);
  return at < 0 ? a.length - b.length : at < b.length ? a[at]! - b[at]! : 1;
}

function expectSorted(
  strings: readonly (readonly number[])[],
  Symbols: typeof Uint8Array | typeof Uint16Array,
): void {
  const starts = Uint32Array.from([0, ...strings].map((_, i) => strings.slice(0, i).flat().length));
  const order = Uint32Array.from(strings, (_, i) => i);
  runWhole(sortSymbolStrings(order, Symbols.from(strings.flat()), starts));
  expect([...order].sort((a, b) => a - b)).toEqual(strings.map((_, i) => i));
  expect(Array.from(order, (index) => strings[index])).toEqual(strings.toSorted(compare));
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
    fc.property(strings(fc.constantFrom(0, 1, 5, 300, 65_534)), (input) => expectSorted(input, Uint16Array)),
    { numRuns: 200 },
  );
});

it("sorts many equal and nested strings", () => {
  expectSorted(
    Array.from({ length: 500 }, (_, i) => new Array<number>(i % 37).fill(9)),
    Uint8Array,
  );
});
