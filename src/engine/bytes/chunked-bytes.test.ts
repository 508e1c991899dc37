import fc from "fast-check";
import { expect, test } from "vitest";
import { ChunkedBytes } from "./chunked-bytes.js";
import { GrowableBytes } from "./growable-bytes.js";

test("what was appended comes back in order and padded, as from one buffer, however it was cut", () => {
  const lengths = fc.array(
    fc.oneof(fc.nat(200), fc.nat(100_000), fc.integer({ min: 2 ** 18, max: 2 ** 19 })),
    {
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(lengths, (sizes) => {
      const chunked = new ChunkedBytes();
      const whole = new GrowableBytes();
      sizes.forEach((size, i) => {
        const bytes = new Uint8Array(size).map((_, at) => (at * 31 + i * 7) % 255);
        chunked.append(bytes);
        whole.reserve(size);
        whole.bytes.set(bytes, whole.length);
        whole.length += size;
        expect(chunked.length).toBe(whole.length);
      });
      const joined = Buffer.concat(chunked.toPaddedSection());
      expect(joined.equals(whole.toPaddedSection())).toBe(true);
      expect(Buffer.from(chunked.joined()).equals(whole.toSection())).toBe(true);
      // Asked again, it is the same.
      expect(Buffer.concat(chunked.toPaddedSection()).equals(joined)).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test("takes memory in proportion to what was appended", () => {
  for (const appended of [0, 100, 5000, 100_000, 2_000_000]) {
    const chunked = new ChunkedBytes();
    const piece = new Uint8Array(100);
    for (let i = 0; i < appended / piece.length; i++) chunked.append(piece);
    const buffers = new Set(chunked.toPaddedSection().map(({ buffer }) => buffer));
    const taken = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(taken, `for ${appended}`).toBeLessThanOrEqual(Math.min(2 * appended, appended + 2 ** 18) + 2048);
  }
});

test("long chunks are mapped, short ones as they come", () => {
  const chunked = new ChunkedBytes();
  for (let i = 0; i < 400; i++) chunked.append(new Uint8Array(1000));
  const chunks = chunked.toPaddedSection();
  const mapped = chunks.filter(({ buffer }) => (buffer as { readonly resizable?: boolean }).resizable);
  expect(mapped).toEqual(chunks.filter(({ buffer }) => buffer.byteLength >= 2 ** 17));
  expect(mapped.length).toBeGreaterThan(0);
  expect(mapped.length).toBeLessThan(chunks.length);
});

test("what offsets can't reach is refused before there is memory for it", () => {
  const chunked = new ChunkedBytes();
  chunked.append(new Uint8Array(10));
  const endless = Object.defineProperty(new Uint8Array(0), "length", { value: 2 ** 32 - 100 });
  expect(() => chunked.append(endless)).toThrow(/pass 4 GiB/);
  expect(chunked.length).toBe(10);
});
