/** Properties: appended bytes and numbers are there, with zeros behind them, across growth into another buffer and within one. */
import { expect, test } from "vitest";
import { GrowableBytes } from "./growable-bytes.js";
import { GrowableU32 } from "./growable-u32.js";

/** Numbers that take small buffers, a roomy one, and one that is longer still. */
const COUNT = 9_000_000;

test("bytes and their words, to beyond a roomy buffer", () => {
  const growable = new GrowableBytes();
  const piece = Uint8Array.from({ length: 1000 }, (_, i) => i * 7);
  const buffers = new Set<ArrayBufferLike>();
  let capacity = 0;
  while (growable.length < 4 * COUNT) {
    growable.append(piece);
    if (growable.bytes.length === capacity) continue;
    capacity = growable.bytes.length;
    expect(growable.words.length).toBe(capacity / 4);
    expect(growable.words.buffer).toBe(growable.bytes.buffer);
    expect(isZero(growable.bytes.subarray(growable.length))).toBe(true);
    buffers.add(growable.bytes.buffer);
  }
  const wrong: number[] = [];
  for (let at = 0; at < growable.length; at += 1000) {
    if (Buffer.compare(growable.bytes.subarray(at, at + 1000), piece) !== 0) wrong.push(at);
  }
  expect(wrong).toEqual([]);
  // From 1 to 32 MiB it stays where it is.
  expect(buffers.size).toBeLessThan(14);
  growable.clear();
  expect(isZero(growable.bytes)).toBe(true);
});

test("numbers, to beyond a roomy buffer", () => {
  const growable = new GrowableU32();
  const buffers = new Set<ArrayBufferLike>();
  for (let i = 0; i < COUNT; i++) {
    growable.push(i);
    if ((i & (i - 1)) === 0) buffers.add(growable.array.buffer);
  }
  expect(growable.toSection().length).toBe(COUNT);
  expect(growable.toSection().findIndex((value, i) => value !== i)).toBe(-1);
  expect(isZero(new Uint8Array(growable.array.buffer, 4 * COUNT))).toBe(true);
  expect(buffers.size).toBeLessThan(20);
});

function isZero(bytes: Uint8Array): boolean {
  return Buffer.compare(bytes, new Uint8Array(bytes.length)) === 0;
}
