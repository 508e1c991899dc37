/** Properties: what is mapped is zero, as long as asked for and the system's again at once, whatever malloc keeps; roomy buffers have room. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { mappedBytes, residentBytes, roomyBuffer } from "./mapped-bytes.js";
import { releaseBuffer } from "./release-buffer.js";

const MEGABYTE = 1 << 20;

test.each([0, 100, 128 * 1024, MEGABYTE + 1])("%i zero bytes", (length) => {
  const bytes = mappedBytes(length);
  expect([bytes.length, bytes.byteOffset, bytes.buffer.byteLength]).toEqual([length, 0, length]);
  expect(bytes.every((byte) => byte === 0)).toBe(true);
});

test.runIf(process.platform === "linux")("memory is the system's again once it is released", async () => {
  // From then on the C library takes what is no longer from its pools.
  const long = new Uint8Array(24 * MEGABYTE).fill(1);
  releaseBuffer(long.buffer);
  await new Promise((resolve) => setTimeout(resolve, 10));
  const before = residentMegabytes();
  // So many that what V8 gives back or takes for itself meanwhile is little beside them.
  const pieces = Array.from({ length: 128 }, () => mappedBytes(MEGABYTE).fill(1));
  expect(residentMegabytes() - before).toBeGreaterThan(96);
  for (const { buffer } of pieces) releaseBuffer(buffer);
  expect(residentMegabytes() - before).toBeLessThan(32);
});

test("a long buffer has room, which takes no memory before it is used", () => {
  expect(roomyBuffer(1000).byteLength).toBe(1000);
  const long = roomyBuffer(MEGABYTE);
  expect(long.byteLength).toBeGreaterThan(32 * MEGABYTE);
  expect(residentBytes(long, MEGABYTE)).toBe(MEGABYTE);
  expect(roomyBuffer(40 * MEGABYTE).byteLength).toBe(40 * MEGABYTE);
  expect(residentBytes(new ArrayBuffer(1000), 10)).toBe(1000);
});

function residentMegabytes(): number {
  const status = readFileSync("/proc/self/status", "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
