/**
 * Properties: garbage is collected once enough buffers have come together that nobody is known to use, and
 * not again before as many more have; a small budget lets less come together; in a real thread, dropped
 * buffers are gone afterwards.
 */
import { expect, test } from "vitest";
import { BufferGarbage, GARBAGE_BYTES_MAX, garbageBytesMax, pooledBytesMax } from "./buffer-garbage.js";

const MEBIBYTE = 1024 * 1024;

test("collects when much more is there than is in use", () => {
  let external = 10 * MEBIBYTE;
  let collections = 0;
  const garbage = new BufferGarbage(16 * MEBIBYTE, {
    collect: () => {
      collections++;
      external = 12 * MEBIBYTE;
    },
    externalBytes: () => external,
  });
  garbage.collectIfMuch(0);
  external = 40 * MEBIBYTE;
  garbage.collectIfMuch(30 * MEBIBYTE);
  expect(collections).toBe(0);
  garbage.collectIfMuch(10 * MEBIBYTE);
  expect(collections).toBe(1);
  external = 17 * MEBIBYTE;
  garbage.collectIfMuch(0);
  expect(collections).toBe(1);
  external = 30 * MEBIBYTE;
  garbage.collectIfMuch(0);
  expect(collections).toBe(2);
});

test("a small budget has less garbage, a large one no more", () => {
  expect(garbageBytesMax(24 * MEBIBYTE)).toBe(4 * MEBIBYTE);
  expect(garbageBytesMax(96 * MEBIBYTE)).toBe(GARBAGE_BYTES_MAX);
  expect(garbageBytesMax(2 ** 40)).toBe(GARBAGE_BYTES_MAX);
});

test("frees what was dropped", async () => {
  const before = process.memoryUsage().arrayBuffers;
  let dropped: Uint8Array[] = Array.from({ length: 40 }, () => new Uint8Array(MEBIBYTE));
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(32 * MEBIBYTE);
  expect(dropped).toHaveLength(40);
  dropped = [];
  new BufferGarbage().collectIfMuch(0);
  // V8 frees them in a thread of its own.
  await expect.poll(() => process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * MEBIBYTE);
});

test("a budget keeps room for what the C library keeps, a large one not more than its pools grow to", () => {
  expect(pooledBytesMax(30 * MEBIBYTE)).toBe(6 * MEBIBYTE);
  expect(pooledBytesMax(1024 * MEBIBYTE)).toBe(16 * MEBIBYTE);
});
