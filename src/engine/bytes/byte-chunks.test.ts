/** Every copy stays what it was copied from, and short ones share buffers. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteChunks } from "./byte-chunks.js";

const CHUNK_LENGTH = 64;

test("copies stay as they are", () => {
  const range = fc.tuple(fc.nat(120), fc.nat(40)).map(([start, length]) => ({ start, end: start + length }));
  const source = fc.uint8Array({ minLength: 160, maxLength: 160 });
  fc.assert(
    fc.property(source, fc.array(range, { minLength: 1, maxLength: 40 }), (bytes, ranges) => {
      const chunks = new ByteChunks(CHUNK_LENGTH);
      const memory = bytes.slice();
      const copies = ranges.map(({ start, end }) => chunks.copy(memory, start, end));
      memory.fill(0xff);
      for (const [i, { start, end }] of ranges.entries())
        expect([...copies[i]!]).toEqual([...bytes.subarray(start, end)]);
    }),
  );
});

test("a quarter of a chunk lies in it, and what is longer by itself", () => {
  const chunks = new ByteChunks(CHUNK_LENGTH);
  const bytes = new Uint8Array(CHUNK_LENGTH);
  const quarters = [0, 1, 2, 3].map(() => chunks.copy(bytes, 0, CHUNK_LENGTH / 4));
  expect(new Set(quarters.map(({ buffer }) => buffer)).size).toBe(1);
  expect(chunks.copy(bytes, 0, 1).buffer).not.toBe(quarters[0]!.buffer);
  expect(chunks.copy(bytes, 0, CHUNK_LENGTH / 4 + 1).buffer.byteLength).toBe(CHUNK_LENGTH / 4 + 1);
});
