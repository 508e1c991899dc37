/** The kernel writes, byte for byte, the blocks that `Lz4Compressor` writes. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { Lz4Compressor } from "../../../tests/oracles/lz4-compressor.js";
import { decompressLz4 } from "../../../tests/oracles/lz4-decoder.js";
import { lz4Bound } from "../bytes/lz4.js";
import { BlockCompressor } from "./block-compressor.js";
import { BuildingMemory } from "./building-memory.js";

const START = 5;

const newCompressor = (): BlockCompressor => new BlockCompressor(BuildingMemory.take());

function compressed(compressor: Pick<BlockCompressor, "compress">, source: Uint8Array): Uint8Array {
  const target = new Uint8Array(START + lz4Bound(source.length));
  return target.slice(START, compressor.compress(source, target, START));
}

/** Blocks with repetitions near and far, of bytes few and many. */
const blocks = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 9 }), fc.integer({ min: 1, max: 300 })),
      fc.tuple(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 600 })),
      fc.constantFrom(70_000),
    ),
    { maxLength: 30 },
  )
  .map((parts) => {
    const bytes: number[] = [];
    for (const part of parts) {
      if (part instanceof Uint8Array) bytes.push(...part);
      else if (typeof part === "number")
        for (let i = 0; i < part; i++) bytes.push(Math.imul(i, 0x9e37_79b1) >>> 24);
      else if (typeof part[0] === "number") {
        const from = Math.max(0, bytes.length - part[0]);
        bytes.push(...bytes.slice(from, from + part[1]));
      } else for (let i = 0; i < part[1]; i++) bytes.push(...part[0]);
    }
    return Uint8Array.from(bytes);
  });

it("writes what the plain compressor writes, block after block", () => {
  const byKernel = newCompressor();
  const plain = new Lz4Compressor();
  fc.assert(
    fc.property(blocks, (block) => {
      const bytes = compressed(byKernel, block);
      expect(Buffer.compare(bytes, compressed(plain, block))).toBe(0);
      const decompressed = new Uint8Array(block.length);
      decompressLz4(bytes, decompressed);
      expect(Buffer.compare(decompressed, block)).toBe(0);
    }),
    { numRuns: 300 },
  );
});

it("takes blocks of any length", () => {
  const byKernel = newCompressor();
  for (const length of [0, 1, 12, 13, 65_536, 200_000, 1 << 20, (1 << 20) + 1, 100]) {
    const block = Uint8Array.from({ length }, (_, i) => (i % 7) * (i % 1000 < 500 ? 1 : i >>> 3));
    expect(Buffer.compare(compressed(byKernel, block), compressed(new Lz4Compressor(), block))).toBe(0);
  }
});

it("refuses a target that may be too short", () => {
  const source = new Uint8Array(100);
  const target = new Uint8Array(lz4Bound(100));
  expect(() => newCompressor().compress(source, target, 1)).toThrow(RangeError);
});
