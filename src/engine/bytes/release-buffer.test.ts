/** Properties: a long buffer's memory is given back at once, and its views are empty; short and shared ones stay. */
import { expect, test } from "vitest";
import { releaseBuffer } from "./release-buffer.js";

test("gives the memory of a long buffer back", () => {
  const before = process.memoryUsage().arrayBuffers;
  const kept: Uint8Array[] = [];
  for (let i = 0; i < 40; i++) {
    const bytes = new Uint8Array(1 << 20).fill(i);
    releaseBuffer(bytes.buffer);
    kept.push(bytes);
  }
  for (const bytes of kept) expect(bytes).toHaveLength(0);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 << 20);
});

test("leaves short buffers and shared memory alone", () => {
  const short = new Uint8Array(100).fill(7);
  const shared = new Uint8Array(new SharedArrayBuffer(1 << 20)).fill(7);
  releaseBuffer(short.buffer);
  releaseBuffer(shared.buffer);
  expect(short[99]).toBe(7);
  expect(shared[(1 << 20) - 1]).toBe(7);
});
