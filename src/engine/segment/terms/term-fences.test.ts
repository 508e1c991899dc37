// Properties: a term's lower bound lies in the range that fences leave, whatever terms begin with; the range is as short
// as a step unless many terms begin alike; and a dictionary finds the same before it has fences as with them.
import fc from "fast-check";
import { expect, test } from "vitest";
import { CorruptionError } from "../../../errors/index.js";
import { compareBytes } from "../../schema/compare-bytes.js";
import type { SectionSource } from "../sections.js";
import { TermDictionary } from "./term-dictionary.js";
import { TermFences } from "./term-fences.js";

const STEP = 16;
const bytesOf = fc.uint8Array({ maxLength: 9 });
/** Short ones of few bytes, 0 and 255 among them, of which many begin alike; and any. */
const term = fc.oneof(
  fc.array(fc.constantFrom(0, 1, 97, 255), { maxLength: 9 }).map((bytes) => Uint8Array.from(bytes)),
  bytesOf,
);
const distinct = (values: readonly Uint8Array[]): Uint8Array[] =>
  [...new Map(values.map((value) => [value.join(), value])).values()].sort(compareBytes);
const terms = fc.array(term, { minLength: 1, maxLength: 400, size: "max" }).map(distinct);

function layOut(values: readonly Uint8Array[]): { bytes: Uint8Array; offsets: Uint32Array } {
  const offsets = new Uint32Array(values.length + 1);
  for (const [i, value] of values.entries()) offsets[i + 1] = offsets[i]! + value.length;
  return { bytes: Uint8Array.from(values.flatMap((value) => [...value])), offsets };
}

const lowerBound = (values: readonly Uint8Array[], wanted: Uint8Array): number => {
  const at = values.findIndex((value) => compareBytes(value, wanted) >= 0);
  return at < 0 ? values.length : at;
};

test("a lower bound lies in its range", () => {
  fc.assert(
    fc.property(terms, fc.array(term, { maxLength: 50 }), (values, strangers) => {
      const { bytes, offsets } = layOut(values);
      const fences = new TermFences(bytes, offsets);
      const range = { low: -1, high: -1 };
      for (const wanted of [...values, ...strangers]) {
        fences.narrow(wanted, range);
        const bound = lowerBound(values, wanted);
        expect(range.low).toBeLessThanOrEqual(bound);
        expect(range.high).toBeGreaterThanOrEqual(bound);
        expect(range.high).toBeLessThanOrEqual(values.length);
      }
    }),
    { numRuns: 60 },
  );
});

test("ranges are short", () => {
  const values = Array.from({ length: 5000 }, (_, i) => Buffer.from(`w${String(i).padStart(5, "0")}`));
  const { bytes, offsets } = layOut(values);
  const fences = new TermFences(bytes, offsets);
  const range = { low: 0, high: 0 };
  for (const wanted of [...values, Buffer.from("a"), Buffer.from("z")]) {
    fences.narrow(wanted, range);
    expect(range.high - range.low).toBeLessThanOrEqual(2 * STEP - 1);
  }
});

test("a dictionary finds the same with and without fences", () => {
  const values = distinct(Array.from({ length: 600 }, (_, i) => Buffer.from(`${(i * 7919) % 1009}`)));
  const dictionary = new TermDictionary(sectionsOf(values), "f0.", "test");
  // Fences come after some lookups; the second round has them.
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 1015; number++) {
      const wanted = Buffer.from(`${number}`);
      const bound = lowerBound(values, wanted);
      expect(dictionary.lowerBound(wanted)).toBe(bound);
      const isThere = bound < values.length && compareBytes(values[bound]!, wanted) === 0;
      expect(dictionary.ordinalOf(wanted)).toBe(isThere ? bound : -1);
    }
  }
});

function sectionsOf(values: readonly Uint8Array[]): SectionSource {
  const { bytes, offsets } = layOut(values);
  const numbers = new Uint32Array(values.length);
  const missing = (name: string): never => {
    throw new CorruptionError("test", `no section '${name}'`);
  };
  return {
    has: () => true,
    u8: () => bytes,
    u16: missing,
    u32: (name) => (name.endsWith("offsets") ? offsets : numbers),
    i32: missing,
    deferred: () => null,
  };
}
