/**
 * Both layouts give back every value that was packed, at every width,
 * use exactly the bytes they say, and put value i where the format says.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packVertical, writeBits, writeStream } from "../../../tests/oracles/bit-writing.js";
import {
  BLOCK_SIZE,
  bitWidth,
  readBits,
  readStreamAt,
  streamByteLength,
  unpackVertical,
  verticalWordCount,
} from "./bit-packing.js";

/** A width, and values that need no more bits than it; the first always needs them all. */
const widthAndValues = (minimum: number, maximum: number) =>
  fc.integer({ min: 0, max: 32 }).chain((bits) =>
    fc.tuple(
      fc.constant(bits),
      fc
        .array(fc.integer({ min: 0, max: 2 ** bits - 1 }), { minLength: minimum, maxLength: maximum })
        .map((values) => Uint32Array.from([2 ** bits - 1, ...values.slice(1)])),
    ),
  );

describe("bitWidth", () => {
  it("is the number of binary digits", () => {
    expect([0, 1, 2, 3, 255, 256, 2 ** 31, 2 ** 32 - 1].map(bitWidth)).toEqual([0, 1, 2, 2, 8, 9, 32, 32]);
  });
});

describe("vertical blocks", () => {
  it("give back what was packed", () => {
    fc.assert(
      fc.property(
        widthAndValues(BLOCK_SIZE, BLOCK_SIZE),
        fc.integer({ min: 0, max: 9 }),
        ([bits, values], start) => {
          const length = verticalWordCount(bits);
          const words = new Uint32Array(start + length + 4);
          words.fill(0xdead_beef, 0, start);
          words.fill(0xdead_beef, start + length);
          packVertical(values, bits, words, start);
          expect(words.subarray(0, start).every((word) => word === 0xdead_beef)).toBe(true);
          expect(words.subarray(start + length).every((word) => word === 0xdead_beef)).toBe(true);

          const unpacked = new Uint32Array(BLOCK_SIZE).fill(7);
          unpackVertical(words, start, bits, unpacked);
          expect(unpacked).toEqual(values);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("put value i into lane i mod 4, row i div 4", () => {
    const values = new Uint32Array(BLOCK_SIZE);
    values[6] = 5;
    const words = new Uint32Array(verticalWordCount(3));
    packVertical(values, 3, words, 0);
    // Lane 2, row 1: bits 3 to 5 of the third word.
    expect([...words]).toEqual([0, 0, 5 << 3, 0, ...new Array(8).fill(0)]);
  });
});

describe("streams", () => {
  it("give back what was written", () => {
    fc.assert(
      fc.property(widthAndValues(1, 300), fc.integer({ min: 0, max: 9 }), ([bits, values], offset) => {
        const length = streamByteLength(values.length, bits);
        const bytes = new Uint8Array(offset + length + 8);
        bytes.fill(0xaa, 0, offset);
        bytes.fill(0xaa, offset + length);
        writeStream(values, 0, values.length, bits, bytes, offset);
        expect(bytes.subarray(0, offset).every((byte) => byte === 0xaa)).toBe(true);
        expect(bytes.subarray(offset + length).every((byte) => byte === 0xaa)).toBe(true);

        const stream = bytes.subarray(offset);
        for (let i = 0; i < values.length; i++) expect(readStreamAt(stream, bits, i)).toBe(values[i]);
      }),
      { numRuns: 200 },
    );
  });

  it("fill bytes from the least significant bit", () => {
    const bytes = new Uint8Array(2);
    writeStream(Uint32Array.from([0b101, 0b011, 0b110]), 0, 3, 3, bytes, 0);
    expect([...bytes]).toEqual([0b10_011_101, 0b1]);
  });
});

describe("bits at any place", () => {
  const runs = fc.array(
    fc.record({
      bits: fc.nat({ max: 32 }),
      values: fc.array(fc.nat({ max: 0x7fff_ffff }), { maxLength: 9 }),
    }),
    { maxLength: 20 },
  );

  it("come back, written one run behind the other", () => {
    fc.assert(
      fc.property(runs, fc.nat({ max: 3 }), (given, offset) => {
        const written = new Uint8Array(2000);
        let bit = 0;
        for (const { bits, values } of given) {
          const narrow = Uint32Array.from(values, (value) => (bits === 0 ? 0 : value >>> (32 - bits)));
          const count = narrow.length;
          writeBits(narrow, 0, count, bits, written, offset, bit);
          const back = new Uint32Array(count + 1);
          readBits(written, offset, bit, bits, count, back, 1);
          expect([...back.subarray(1)]).toEqual([...narrow]);
          bit += count * bits;
        }
      }),
      { numRuns: 200 },
    );
  });
});
