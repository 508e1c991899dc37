// Properties: by kernel and without one, blocks come out byte for byte, in one go or piece by piece;
// cut, flipped and random blocks are refused by both or give the same; records are found alike; nothing is written further from
// the target than the margin, and nothing before it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Lz4Compressor } from "../../../tests/oracles/lz4-compressor.js";
import { Lz4Decoder } from "../../../tests/oracles/lz4-decoder.js";
import { PlainBlockDecoder } from "../../../tests/oracles/plain-block-decoder.js";
import { ByteWriter } from "../bytes/byte-writer.js";
import { lz4Bound } from "../bytes/lz4.js";
import { MalformedBytesError } from "../bytes/malformed-bytes-error.js";
import { BlockDecoder, DECODER_MARGIN } from "./block-decoder.js";

const MEMORY_BYTES = 16_384;
const UNTOUCHED = new Uint8Array(MEMORY_BYTES).fill(0xaa);
const SOURCE_START = 32;
const byKernel = new BlockDecoder(MEMORY_BYTES);
const compressor = new Lz4Compressor();

function compress(source: Uint8Array): Uint8Array {
  const target = new Uint8Array(lz4Bound(source.length));
  return target.slice(0, compressor.compress(source, target, 0));
}

/** What a decoder makes of a block, a step at a time; null if it refuses it. */
function decoded(
  { bytes, decoder }: { bytes: Uint8Array; decoder: Pick<Lz4Decoder, "start" | "decodeTo"> },
  block: Uint8Array,
  length: number,
  steps: readonly number[],
): Uint8Array | null {
  bytes.fill(0xaa);
  bytes.set(block, SOURCE_START);
  const targetStart = SOURCE_START + block.length + 64;
  const targetEnd = targetStart + length;
  decoder.start({
    sourceStart: SOURCE_START,
    sourceEnd: SOURCE_START + block.length,
    targetStart,
    targetEnd,
  });
  try {
    let filledTo = targetStart;
    for (const step of [...steps, length]) {
      const wanted = Math.min(filledTo + step, targetEnd);
      filledTo = decoder.decodeTo(wanted);
      expect(filledTo).toBeGreaterThanOrEqual(wanted);
      expect(filledTo).toBeLessThanOrEqual(targetEnd);
    }
    expect(filledTo).toBe(targetEnd);
    return bytes.slice(targetStart, targetEnd);
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedBytesError);
    return null;
  } finally {
    expectBytes(bytes.subarray(SOURCE_START, targetStart - 64), block);
    expectBytes(bytes.subarray(targetStart - 64, targetStart), UNTOUCHED.subarray(0, 64));
    const behind = bytes.subarray(targetEnd + DECODER_MARGIN);
    expectBytes(behind, UNTOUCHED.subarray(0, behind.length));
  }
}

/** As `toEqual`, which takes milliseconds for some thousand bytes. */
function expectBytes(actual: Uint8Array, expected: Uint8Array): void {
  expect(Buffer.compare(actual, expected)).toBe(0);
}

const kernel = { bytes: byKernel.bytes, decoder: byKernel };
const plainBytes = new Uint8Array(MEMORY_BYTES);
const plain = { bytes: plainBytes, decoder: new Lz4Decoder(plainBytes, plainBytes) };

const repetitive = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.nat({ max: 40 })), { maxLength: 8 })
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
const steps = fc.array(fc.nat({ max: 2000 }), { maxLength: 5 });

describe("decompressing blocks", () => {
  test("gives what was compressed, by kernel as without", () => {
    fc.assert(
      fc.property(source, steps, (bytes, given) => {
        const block = compress(bytes);
        for (const each of [kernel, plain]) expectBytes(decoded(each, block, bytes.length, given)!, bytes);
        for (const length of [bytes.length + 1, bytes.length - 1]) {
          if (length < 0) continue;
          for (const each of [kernel, plain]) expect(decoded(each, block, length, given)).toBeNull();
        }
      }),
      { numRuns: 200 },
    );
  });

  test("the two agree on blocks that are cut, flipped or random", () => {
    const flip = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }));
    const damaged = fc.oneof(
      fc.tuple(repetitive, fc.array(flip, { maxLength: 2 }), fc.nat()).map(([bytes, flips, cut]) => {
        const block = compress(bytes);
        for (const [place, mask] of flips) block[place % block.length]! ^= mask;
        return { block: cut % 3 === 0 ? block.slice(0, cut % block.length) : block, length: bytes.length };
      }),
      fc.record({ block: fc.uint8Array({ maxLength: 200 }), length: fc.nat({ max: 3000 }) }),
    );
    fc.assert(
      fc.property(damaged, steps, ({ block, length }, given) => {
        expect(decoded(kernel, block, length, given)).toEqual(decoded(plain, block, length, given));
      }),
      { numRuns: 800 },
    );
  });

  test("finds records, in any order, of blocks compressed or not", () => {
    const record = fc.oneof(
      fc.string({ maxLength: 90 }),
      fc.string({ maxLength: 9, unit: "grapheme" }),
      fc.tuple(fc.string({ maxLength: 4 }), fc.nat({ max: 400 })).map(([s, n]) => s.repeat(n)),
    );
    const pick = fc.tuple(fc.nat(), fc.nat({ max: 3000 }));
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 30 }),
        fc.array(pick, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (records, picks, isCompressed) => {
          const writer = new ByteWriter();
          for (const text of records) writer.utf8(text);
          const raw = writer.view();
          const block = isCompressed ? compress(raw) : raw;
          for (const decoder of [byKernel, new PlainBlockDecoder(MEMORY_BYTES)]) {
            begin(decoder, block, raw.length, isCompressed);
            for (const [place, expected] of picks) {
              const text = records[place % records.length]!;
              decoder.findRecord(place % records.length, expected);
              const { recordStart, recordEnd } = decoder;
              expect(Buffer.from(decoder.bytes.slice(recordStart, recordEnd)).toString()).toBe(text);
              // A character takes one byte of UTF-8 if and only if it is ASCII.
              expect(decoder.recordIsAscii).toBe(Buffer.byteLength(text) === text.length);
            }
            expect(() => decoder.findRecord(records.length, 0)).toThrow(MalformedBytesError);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test("blocks without records are refused by both, or have the same", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat({ max: 5 }), (raw, ordinal) => {
        const found = [byKernel, new PlainBlockDecoder(MEMORY_BYTES)].map((decoder) => {
          begin(decoder, raw, raw.length, false);
          try {
            decoder.findRecord(ordinal, 0);
            return [decoder.recordStart, decoder.recordEnd, decoder.recordIsAscii];
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedBytesError);
            return null;
          }
        });
        expect(found[0]).toEqual(found[1]);
      }),
      { numRuns: 500 },
    );
  });
});

function begin(
  decoder: Pick<BlockDecoder, "bytes" | "start" | "startFilled">,
  block: Uint8Array,
  rawLength: number,
  isCompressed: boolean,
): void {
  decoder.bytes.set(block, SOURCE_START);
  const sourceEnd = SOURCE_START + block.length;
  if (!isCompressed) {
    decoder.startFilled(SOURCE_START, sourceEnd);
    return;
  }
  const targetStart = sourceEnd + 64;
  decoder.start({ sourceStart: SOURCE_START, sourceEnd, targetStart, targetEnd: targetStart + rawLength });
}
