// Proves: chunks come to lie where they were placed, with zeros between; long ones are not copied.
import fc from "fast-check";
import { expect, test } from "vitest";
import { ChunkLayout } from "./chunk-layout.js";

const LONG = 5000;

const placed = fc.record({
  length: fc.oneof(fc.nat({ max: 40 }), fc.constantFrom(4096, 4097, LONG)),
  gap: fc.nat({ max: 70 }),
});

test("chunks lie where they were placed, whatever their lengths", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 100 }),
      fc.array(placed, { maxLength: 12 }),
      fc.nat({ max: 70 }),
      (start, parts, rest) => {
        const layout = new ChunkLayout(start);
        const expected: number[] = [];
        const long: Uint8Array[] = [];
        for (const { length, gap } of parts) {
          const chunk = new Uint8Array(length).fill(1 + (expected.length % 255));
          expected.push(...new Array<number>(gap).fill(0));
          layout.place(chunk, start + expected.length);
          expected.push(...chunk);
          if (length > LONG - 1) long.push(chunk);
        }
        expected.push(...new Array<number>(rest).fill(0));
        const chunks = layout.chunksUpTo(start + expected.length);
        expect(chunks.flatMap((chunk) => [...chunk])).toEqual(expected);
        expect(chunks.every((chunk) => chunk.length > 0)).toBe(true);
        for (const chunk of long) expect(chunks).toContain(chunk);
      },
    ),
    { numRuns: 60 },
  );
});

test("what is short becomes one chunk", () => {
  const layout = new ChunkLayout(0);
  for (let i = 0; i < 300; i++) layout.place(Uint8Array.of(i & 0xff), 64 * i);
  expect(layout.chunksUpTo(64 * 300)).toHaveLength(1);
});
