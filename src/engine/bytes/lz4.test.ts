// Properties: all bytes come back; a block keeps the format's end rules; no bytes whatever, random,
// cut or flipped, make the decoder hang, crash or touch bytes outside its target.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Lz4Compressor } from "../../../tests/oracles/lz4-compressor.js";
import { decompressLz4, Lz4Decoder } from "../../../tests/oracles/lz4-decoder.js";
import { lz4Bound } from "./lz4.js";
import { MalformedBytesError } from "./malformed-bytes-error.js";

const shared = new Lz4Compressor();

function compress(source: Uint8Array, compressor: Lz4Compressor = shared): Uint8Array {
  const target = new Uint8Array(lz4Bound(source.length));
  return target.subarray(0, compressor.compress(source, target, 0));
}

function decompress(block: Uint8Array, length: number): Uint8Array {
  const room = new Uint8Array(length + 64).fill(0xaa);
  const target = room.subarray(32, 32 + length);
  try {
    decompressLz4(block, target);
  } finally {
    const outside = [...room.subarray(0, 32), ...room.subarray(32 + length)];
    expect(outside.every((byte) => byte === 0xaa)).toBe(true);
  }
  return target;
}

/** Bytes that repeat themselves at all kinds of distances. */
const repetitive = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 9 }), fc.nat({ max: 90 })), { maxLength: 60 })
  .map((runs) =>
    Uint8Array.from(
      runs.flatMap(([run, times]) =>
        Array(times)
          .fill([...run])
          .flat(),
      ),
    ),
  );
const source = fc.oneof(repetitive, fc.uint8Array({ maxLength: 3000 }), fc.uint8Array({ maxLength: 40 }));

describe("LZ4", () => {
  test("round trip, one compressor over many blocks", () => {
    fc.assert(
      fc.property(source, (bytes) => {
        const block = compress(bytes);
        expect(decompress(block, bytes.length)).toEqual(bytes);
        expect(compress(bytes, new Lz4Compressor())).toEqual(compress(bytes, new Lz4Compressor()));
        expect(() => decompress(block, bytes.length + 1)).toThrow(MalformedBytesError);
        if (bytes.length > 0) expect(() => decompress(block, bytes.length - 1)).toThrow(MalformedBytesError);
      }),
    );
  });

  test("piece by piece, between other bytes of one array, as in one go", () => {
    fc.assert(
      fc.property(source, fc.array(fc.nat({ max: 3000 }), { maxLength: 8 }), (bytes, steps) => {
        const block = compress(bytes);
        const memory = new Uint8Array(block.length + bytes.length + 96).fill(0xaa);
        memory.set(block, 32);
        const targetStart = 32 + block.length + 32;
        const targetEnd = targetStart + bytes.length;
        const decoder = new Lz4Decoder(memory, memory);
        decoder.start({ sourceStart: 32, sourceEnd: 32 + block.length, targetStart, targetEnd });
        let filledTo = targetStart;
        for (const step of [...steps, bytes.length]) {
          const wanted = Math.min(filledTo + step, targetEnd);
          filledTo = decoder.decodeTo(wanted);
          expect(filledTo).toBeGreaterThanOrEqual(wanted);
          expect(memory.subarray(targetStart, filledTo)).toEqual(bytes.subarray(0, filledTo - targetStart));
        }
        expect(filledTo).toBe(targetEnd);
        expect(memory.subarray(targetStart - 32, targetStart).every((byte) => byte === 0xaa)).toBe(true);
        expect(memory.subarray(targetEnd).every((byte) => byte === 0xaa)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("long blocks: far matches, offsets past 65,535 unused", () => {
    const bytes = new Uint8Array(400_000);
    let state = 12345;
    for (let index = 0; index < bytes.length; index++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      // The same 70,000 random bytes over and over: every match at that distance is out of reach.
      bytes[index] = index < 70_000 ? state >>> 24 : bytes[index - 70_000]!;
    }
    const block = compress(bytes);
    expect(Buffer.compare(decompress(block, bytes.length), bytes)).toBe(0);
    const text = new TextEncoder().encode("the quick brown fox jumps over the lazy dog. ".repeat(5000));
    const textBlock = compress(text);
    expect(textBlock.length).toBeLessThan(text.length / 100);
    expect(Buffer.compare(decompress(textBlock, text.length), text)).toBe(0);
  });

  test("reads a block written by hand from the format's text", () => {
    // "abc", a match of 21 bytes 3 back, "12345".
    const block = Uint8Array.of(0x3f, 97, 98, 99, 3, 0, 2, 0x50, 49, 50, 51, 52, 53);
    expect(new TextDecoder().decode(decompress(block, 29))).toBe("abcabcabcabcabcabcabcabc12345");
  });

  test("the last 5 bytes are literals and no match starts within the last 12", () => {
    fc.assert(
      fc.property(repetitive, (bytes) => {
        const matches = matchesOf(compress(bytes));
        for (const match of matches) {
          expect(match.end).toBeLessThanOrEqual(bytes.length - 5);
          expect(match.start).toBeLessThanOrEqual(bytes.length - 12);
        }
      }),
    );
  });

  test("random bytes fail or fill the target, nothing else", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: 2000 }), (block, length) => {
        try {
          decompress(block, length);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedBytesError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("cut and flipped blocks fail or fill the target, nothing else", () => {
    fc.assert(
      fc.property(repetitive, fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, place, flip) => {
        const block = compress(bytes).slice();
        expect(() => decompress(block.subarray(0, place % block.length), bytes.length)).toThrow(
          MalformedBytesError,
        );
        block[place % block.length]! ^= flip;
        try {
          decompress(block, bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedBytesError);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("a target that could be too short is refused", () => {
    expect(() => shared.compress(new Uint8Array(100), new Uint8Array(100), 0)).toThrow(RangeError);
  });
});

/** Where each match of a well-formed block starts and ends in the decompressed bytes. */
function matchesOf(block: Uint8Array): { start: number; end: number }[] {
  const matches: { start: number; end: number }[] = [];
  let at = 0;
  let out = 0;
  const longer = (nibble: number): number => {
    let length = nibble;
    if (nibble === 15)
      do length += block[at]!;
      while (block[at++] === 255);
    return length;
  };
  while (at < block.length) {
    const token = block[at++]!;
    const literals = longer(token >>> 4);
    at += literals;
    out += literals;
    if (at === block.length) break;
    at += 2;
    const length = longer(token & 15) + 4;
    matches.push({ start: out, end: out + length });
    out += length;
  }
  return matches;
}
