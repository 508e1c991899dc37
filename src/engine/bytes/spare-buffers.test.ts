/** Properties: what is given back is used again, its old views are empty; few and no long ones are kept. */
import { beforeEach, expect, test } from "vitest";
import { forgetSpareBuffers, giveBackBuffer, takeSpareBuffer } from "./spare-buffers.js";

const MEBIBYTE = 1024 * 1024;

// Other tests of this process may have left some.
beforeEach(forgetSpareBuffers);

/** Whether a buffer that comes next has this one's bytes. */
function comesAgain(buffer: ArrayBuffer, mark: number): boolean {
  new Uint8Array(buffer)[0] = mark;
  giveBackBuffer(buffer);
  const next = takeSpareBuffer(1);
  const isSame = new Uint8Array(next)[0] === mark;
  giveBackBuffer(next);
  return isSame;
}

test("a buffer is used again, and nobody reads on in it", () => {
  const first = takeSpareBuffer(MEBIBYTE + 5);
  const view = new Uint8Array(first);
  view[7] = 42;
  giveBackBuffer(first);
  expect(view).toHaveLength(0);
  const second = takeSpareBuffer(MEBIBYTE);
  expect(second.byteLength).toBeGreaterThanOrEqual(MEBIBYTE + 5);
  expect(new Uint8Array(second)[7]).toBe(42);
  // Those that are in use are nobody else's.
  const third = takeSpareBuffer(MEBIBYTE);
  expect(new Uint8Array(third)[7]).toBe(0);
  giveBackBuffer(second);
  giveBackBuffer(third);
});

test("one that is too short for what comes gives way", () => {
  for (const mark of [1, 2, 3]) giveBackBuffer(takeSpareBuffer(mark));
  const long = [takeSpareBuffer(1.5 * MEBIBYTE), takeSpareBuffer(1.5 * MEBIBYTE)];
  for (const buffer of long) giveBackBuffer(buffer);
  expect(takeSpareBuffer(1).byteLength).toBe(1.5 * MEBIBYTE);
  expect(takeSpareBuffer(1).byteLength).toBe(1.5 * MEBIBYTE);
  expect(takeSpareBuffer(1).byteLength).toBeLessThan(1.5 * MEBIBYTE);
});

test("long ones aren't kept", () => {
  expect(comesAgain(takeSpareBuffer(MEBIBYTE), 7)).toBe(true);
  const long = takeSpareBuffer(8 * MEBIBYTE);
  expect(comesAgain(long, 9)).toBe(false);
  expect(long.byteLength).toBe(0);
});

test("those that are kept are forgotten", () => {
  const buffer = takeSpareBuffer(MEBIBYTE);
  new Uint8Array(buffer)[0] = 5;
  giveBackBuffer(buffer);
  forgetSpareBuffers();
  expect(new Uint8Array(takeSpareBuffer(1))[0]).toBe(0);
});
