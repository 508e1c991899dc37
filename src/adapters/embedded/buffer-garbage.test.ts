/**
 * Properties: a collection is asked for once enough buffers have come together that nobody is known to use, and
 * not again before as many more have, however long it takes; a small budget lets less come together; in a real
 * thread, dropped buffers are gone some time later.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { expect, test } from "vitest";
import {
  AT_ONCE,
  BufferGarbage,
  type Collector,
  GARBAGE_BYTES_MAX,
  garbageBytesMax,
  pooledBytesMax,
} from "./buffer-garbage.js";

const MEBIBYTE = 1024 * 1024;

// V8 by itself collects in a thread that does nothing, some seconds later.
setFlagsFromString("--no-memory-reducer");

interface FakeCollector extends Collector {
  external: number;
  begun: number;
  collected: number;
}

function fakeCollector(): FakeCollector {
  const fake: FakeCollector = {
    external: 10 * MEBIBYTE,
    begun: 0,
    collected: 0,
    begin: () => {
      fake.begun++;
      // What V8 is told by.
      fake.external += 65 * MEBIBYTE;
    },
    collect: () => {
      fake.collected++;
    },
    externalBytes: () => fake.external,
  };
  return fake;
}

test("asks for a collection when much more is there than is in use", () => {
  const fake = fakeCollector();
  const garbage = new BufferGarbage(16 * MEBIBYTE, fake);
  garbage.collectIfMuch(0);
  fake.external = 40 * MEBIBYTE;
  garbage.collectIfMuch(30 * MEBIBYTE);
  expect(fake.begun).toBe(0);
  garbage.collectIfMuch(10 * MEBIBYTE);
  expect(fake.begun).toBe(1);
  fake.external = 12 * MEBIBYTE;
  garbage.collectIfMuch(0);
  fake.external = 27 * MEBIBYTE;
  garbage.collectIfMuch(0);
  expect(fake.begun).toBe(1);
  fake.external = 28 * MEBIBYTE;
  garbage.collectIfMuch(0);
  expect(fake.begun).toBe(2);
  expect(fake.collected).toBe(0);
});

test("asks once while a collection is under way, unless as much again has come meanwhile", () => {
  const fake = fakeCollector();
  const garbage = new BufferGarbage(16 * MEBIBYTE, fake);
  fake.external = 16 * MEBIBYTE;
  for (let look = 0; look < 3; look++) garbage.collectIfMuch(0);
  fake.external += 15 * MEBIBYTE;
  garbage.collectIfMuch(0);
  expect(fake.begun).toBe(1);
  fake.external += MEBIBYTE;
  garbage.collectIfMuch(0);
  expect(fake.begun).toBe(2);
});

test("what is collected at once is counted from anew", () => {
  const fake = fakeCollector();
  const garbage = new BufferGarbage(16 * MEBIBYTE, fake);
  garbage.collect(0);
  expect([fake.begun, fake.collected]).toEqual([0, 1]);
  fake.external = 25 * MEBIBYTE;
  garbage.collectIfMuch(0);
  expect(fake.begun).toBe(0);
  fake.external = 26 * MEBIBYTE;
  garbage.collectIfMuch(0);
  expect(fake.begun).toBe(1);
});

test("a small budget has less garbage, a large one no more", () => {
  expect(garbageBytesMax(24 * MEBIBYTE)).toBe(4 * MEBIBYTE);
  expect(garbageBytesMax(96 * MEBIBYTE)).toBe(GARBAGE_BYTES_MAX);
  expect(garbageBytesMax(2 ** 40)).toBe(GARBAGE_BYTES_MAX);
});

test("frees what was dropped, in steps", async () => {
  const before = process.memoryUsage().arrayBuffers;
  let dropped: Uint8Array[] = Array.from({ length: 40 }, () => new Uint8Array(MEBIBYTE));
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(32 * MEBIBYTE);
  expect(dropped).toHaveLength(40);
  dropped = [];
  const leftBytes = (): number => {
    // One that V8 was in the middle of frees nothing that was in use when it began: the next one does.
    new BufferGarbage().collectIfMuch(0);
    return process.memoryUsage().arrayBuffers - before;
  };
  await expect.poll(leftBytes, { timeout: 10_000 }).toBeLessThan(8 * MEBIBYTE);
});

test("has found what was dropped when it returns, at once", async () => {
  const dropped = new WeakRef(new Uint8Array(20 * MEBIBYTE));
  await nextTurn();
  new BufferGarbage(GARBAGE_BYTES_MAX, AT_ONCE).collectIfMuch(0);
  expect(dropped.deref()).toBeUndefined();
});

test("a budget keeps room for what the C library keeps, a large one not more than its pools grow to", () => {
  expect(pooledBytesMax(30 * MEBIBYTE)).toBe(6 * MEBIBYTE);
  expect(pooledBytesMax(1024 * MEBIBYTE)).toBe(16 * MEBIBYTE);
});
