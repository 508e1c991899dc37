/**
 * Both layouts give back every value that was packed, at every width, as a whole or one at a time,
 * use exactly the bytes they say, and put value i where the format says.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BLOCK_SIZE,
  bitWidth,
  copyBits,
  packVertical,
  readBits,
  readStream,
  readStreamAt,
  streamByteLength,
  unpackVertical,
  unpackVerticalAt,
  verticalWordCount,
  writeBits,
  writeStream,
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
          for (let i = 0; i < BLOCK_SIZE; i++)
            expect(unpackVerticalAt(words, start, bits, i)).toBe(values[i]);
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
  it("give back what was written, from any value on", () => {
    fc.assert(
      fc.property(
        widthAndValues(1, 300),
        fc.integer({ min: 0, max: 9 }),
        fc.nat(),
        fc.nat(),
        ([bits, values], offset, a, b) => {
          const length = streamByteLength(values.length, bits);
          const bytes = new Uint8Array(offset + length + 8);
          bytes.fill(0xaa, 0, offset);
          bytes.fill(0xaa, offset + length);
          writeStream(values, 0, values.length, bits, bytes, offset);
          expect(bytes.subarray(0, offset).every((byte) => byte === 0xaa)).toBe(true);
          expect(bytes.subarray(offset + length).every((byte) => byte === 0xaa)).toBe(true);

          for (let i = 0; i < values.length; i++)
            expect(readStreamAt(bytes, offset, bits, i)).toBe(values[i]);
          const from = a % values.length;
          const count = b % (values.length - from + 1);
          const read = new Uint32Array(count);
          readStream(bytes, offset, bits, from, count, read);
          expect(read).toEqual(values.slice(from, from + count));

          const part = new Uint8Array(streamByteLength(count, bits));
          writeStream(values, from, count, bits, part, 0);
          readStream(part, 0, bits, 0, count, read);
          expect(read).toEqual(values.slice(from, from + count));
        },
      ),
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

  it("come back, written or copied one run behind the other", () => {
    fc.assert(
      fc.property(runs, fc.nat({ max: 3 }), (given, offset) => {
        const written = new Uint8Array(2000);
        const copied = new Uint8Array(2000);
        let bit = 0;
        for (const { bits, values } of given) {
          const narrow = Uint32Array.from(values, (value) => (bits === 0 ? 0 : value >>> (32 - bits)));
          const count = narrow.length;
          writeBits(narrow, 0, count, bits, written, offset, bit);
          copyBits(written, offset, bit, count * bits, copied, 0, bit);
          const back = new Uint32Array(count + 1);
          readBits(copied, 0, bit, bits, count, back, 1);
          expect([...back.subarray(1)]).toEqual([...narrow]);
          bit += count * bits;
        }
        expect([...copied.subarray(0, 900)]).toEqual([...written.subarray(offset, 900 + offset)]);
      }),
      { numRuns: 200 },
    );
  });
});
