import fc from "fast-check";
import { expect, test } from "vitest";
import { BuildingMemory } from "../../kernels/building-memory.js";
import { GatheredStrings } from "./gathered-strings.js";

/** Together longer than a chunk now and then, so that pieces end in the middle of one. */
const gatherings = fc.record({
  lengthMax: fc.constantFrom(1, 12, 64, 900, 9_000, 12_000, 16_384),
  bytes: fc.constantFrom(0, 10, 20_000, 300_000, 700_000),
  seed: fc.nat(),
});

test("what was gathered comes where kernels want it", () => {
  fc.assert(
    fc.property(gatherings, ({ lengthMax, bytes, seed }) => {
      const gathered = new GatheredStrings(lengthMax);
      const all = Buffer.alloc(bytes + lengthMax);
      const starts = [0];
      let length = 0;
      let roomMin = Number.POSITIVE_INFINITY;
      for (let i = 0; length < bytes && i < 20_000; i++) {
        const size = ((seed >>> 3) + i * 7919) % (lengthMax + 1);
        const string = new Uint8Array(size).map((_, at) => (seed + i * 31 + at) % 251);
        const { piece } = gathered;
        roomMin = Math.min(roomMin, piece.length - gathered.end);
        piece.set(string, gathered.end);
        expect(gathered.close(size)).toBe(i);
        all.set(string, length);
        length += size;
        starts.push(length);
      }
      expect(roomMin).toBeGreaterThanOrEqual(lengthMax);
      const wanted = all.subarray(0, length);
      expect(gathered.count).toBe(starts.length - 1);
      expect([...gathered.starts.subarray(0, starts.length)]).toEqual(starts);
      const memory = BuildingMemory.take()!;
      const address = gathered.placeBytes(memory);
      expect(wanted.equals(memory.bytes.subarray(address, address + length))).toBe(true);
      memory.giveBack();
      gathered.release();
    }),
    { numRuns: 20 },
  );
});

test("takes little for few strings, and no long buffers for many", () => {
  const gathered = new GatheredStrings(64);
  const few = gathered.bytesUsed;
  expect(few).toBeLessThan(1024);
  for (let i = 0; i < 50_000; i++) {
    gathered.piece.fill(i, gathered.end, gathered.end + 60);
    gathered.close(60);
  }
  expect(gathered.bytesUsed).toBeLessThan(50_000 * 60 + 50_000 * 8 + (1 << 19));
  gathered.release();
});

test("has room for the longest string behind whatever was written", () => {
  const gathered = new GatheredStrings(12_000);
  for (const length of [11_000, 12_000, 1, 4_384, 12_000]) {
    expect(gathered.piece.length - gathered.end).toBeGreaterThanOrEqual(12_000);
    gathered.close(length);
  }
  gathered.release();
});
