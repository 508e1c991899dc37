// Properties: whatever is packed comes back, in arrays of every width; small and regular numbers take
// little room; bytes of another number of numbers are refused.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MalformedBytesError } from "../../src/engine/bytes/malformed-bytes-error.js";
import { packNumbers, unpackNumbers } from "./packed-numbers.js";

const word = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 300 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff_ffff }) },
);
const words = fc.oneof(
  fc.array(word, { maxLength: 400 }),
  fc.array(word, { maxLength: 400 }).map((values) => values.sort((a, b) => a - b)),
  // Runs of what differs by a constant, and of equal numbers.
  fc
    .tuple(fc.nat({ max: 400 }), fc.nat({ max: 3_000_000 }), fc.nat({ max: 9000 }))
    .map(([count, first, step]) => Array.from({ length: count }, (_, i) => first + i * step)),
);

describe("packed numbers", () => {
  test("come back", () => {
    fc.assert(
      fc.property(words, (values) => {
        const target = new Uint32Array(values.length);
        unpackNumbers(packNumbers(Uint32Array.from(values)), target);
        expect([...target]).toEqual(values);
      }),
      { numRuns: 500 },
    );
  });

  test("come back into narrow arrays", () => {
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * i) % 256);
    const intoBytes = new Uint8Array(1000);
    unpackNumbers(packNumbers(bytes), intoBytes);
    expect(intoBytes).toEqual(bytes);
    const shorts = Uint16Array.from({ length: 1000 }, (_, i) => (i * i * i) % 65_536);
    const intoShorts = new Uint16Array(1000);
    unpackNumbers(packNumbers(shorts), intoShorts);
    expect(intoShorts).toEqual(shorts);
  });

  test("take as little as they hold", () => {
    expect(packNumbers(new Uint32Array(1280).fill(77)).length).toBe(1 + 10 * 2);
    expect(packNumbers(Uint32Array.from({ length: 1280 }, (_, i) => 5_000_000 + i)).length).toBeLessThan(60);
    expect(packNumbers(Uint32Array.of(1, 1, 2, 4_000_000_000, 1, 1)).length).toBe(1 + 5 + 5);
    expect(packNumbers(new Uint32Array(0)).length).toBe(1);
  });

  test("of another count, or of no known form, are refused", () => {
    const packed = packNumbers(Uint32Array.of(5, 900, 3, 70_000));
    expect(() => unpackNumbers(packed, new Uint32Array(3))).toThrow(MalformedBytesError);
    expect(() => unpackNumbers(packed, new Uint32Array(5))).toThrow(MalformedBytesError);
    expect(() => unpackNumbers(Uint8Array.of(9, 1), new Uint32Array(1))).toThrow(MalformedBytesError);
    expect(() => unpackNumbers(Uint8Array.of(0, 0, 33), new Uint32Array(1))).toThrow(MalformedBytesError);
  });
});
