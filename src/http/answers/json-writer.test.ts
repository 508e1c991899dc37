/** Whatever pieces it is put together from, the bytes are the UTF-8 of their text; each answer has its own. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonWriter } from "./json-writer.js";
import { StringTable } from "./string-table.js";

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  // Longer than the writer's memory at first.
  fc.integer({ min: 60_000, max: 1_200_000 }).map((length) => "wörter".repeat(length / 6)),
);
const piece = fc.record({
  kind: fc.constantFrom("text", "ascii", "bytes", "kept", "reserved"),
  text: fc.oneof({ weight: 20, arbitrary: fc.string({ unit: "grapheme", maxLength: 200 }) }, text),
});

test.each([0, 3_000])(
  "writes what its pieces say, one answer after the other, with headroom of %i",
  (headroom) => {
    const writer = new JsonWriter(headroom);
    const keptTexts = new StringTable();
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 12 }), { maxLength: 4 }), (answers) => {
        const taken = answers.map((pieces) => {
          for (const { kind, text: written } of pieces) {
            if (kind === "bytes") writer.bytes(Buffer.from(written));
            else if (kind === "kept") writer.interned(keptTexts, keptTexts.add(written));
            else if (kind === "reserved") writeToReserved(writer, Buffer.from(written));
            else if (kind === "text") writer.text(written);
            else writer.ascii(asciiOf(written));
          }
          return writer.take();
        });
        const expected = answers.map((pieces) =>
          pieces.map(({ kind, text: written }) => (kind === "ascii" ? asciiOf(written) : written)).join(""),
        );
        expect(taken.map((bytes) => bytes.toString())).toEqual(
          expected.map((each) => Buffer.from(each).toString()),
        );
      }),
      { numRuns: 40 },
    );
  },
);

/** More than it takes. */
function writeToReserved(writer: JsonWriter, bytes: Uint8Array): void {
  const start = writer.reserve(bytes.length + 5);
  writer.memory.set(bytes, start);
  writer.view.setUint8(start + bytes.length, 0x3f);
  writer.wrote(start + bytes.length);
}

function asciiOf(written: string): string {
  return written.replaceAll(/[^ -~]/g, "?");
}

test("writes whole numbers as JSON does", () => {
  const writer = new JsonWriter();
  const whole = fc.oneof(
    fc.nat(),
    fc.maxSafeNat(),
    fc.nat({ max: 15 }).chain((digits) => fc.constantFrom(10 ** digits, 10 ** digits - 1)),
    fc.constantFrom(2 ** 30 - 1, 2 ** 30, 2 ** 31, 2 ** 32),
  );
  fc.assert(
    fc.property(fc.array(whole, { maxLength: 20 }), (values) => {
      for (const value of values) writer.whole(value).character(0x20);
      expect(writer.take().toString()).toBe(values.map((value) => `${JSON.stringify(value)} `).join(""));
    }),
  );
});

test("writes fractions as JSON does", () => {
  const writer = new JsonWriter();
  const fraction = fc.oneof(
    fc.double(),
    fc.double({ min: 0, max: 1 }),
    fc
      .tuple(fc.nat({ max: 14 }), fc.nat({ max: 14 }), fc.maxSafeNat())
      .map(([decimals, digits, value]) => (value % 10 ** digits) / 10 ** decimals),
    fc.constantFrom(1, 0.1, 1e-6, 1e-6 - 1e-12, 0.000064392, 0.123456, 0.1234567, 0.100000000001),
  );
  fc.assert(
    fc.property(fc.array(fraction, { maxLength: 20 }), (values) => {
      for (const value of values) writer.fraction(value).character(0x20);
      expect(writer.take().toString()).toBe(values.map((value) => `${JSON.stringify(value)} `).join(""));
    }),
    { numRuns: 1000 },
  );
});

test("what wasn't taken is forgotten", () => {
  const writer = new JsonWriter();
  writer.text("half an answer");
  expect(writer.clear().text("another").take().toString()).toBe("another");
});

test("a long answer's memory isn't kept, whether it was taken or forgotten", () => {
  const writer = new JsonWriter();
  const long = "x".repeat(2_000_000);
  const heldBytes = (): number => writer.behind(Buffer.alloc(0)).buffer.byteLength;
  writer.text(long).clear();
  expect(heldBytes()).toBeLessThan(1_000_000);
  writer.text(long).take();
  expect(heldBytes()).toBeLessThan(1_000_000);
});

test("puts a head of any length that fits before what was written, in memory that can be left to others", () => {
  const writer = new JsonWriter(10);
  const long = "ü".repeat(50_000);
  const first = writer.text(long).behind(Buffer.from("0123456789"));
  writer.renounce();
  expect(writer.length).toBe(0);
  const second = writer.text("another").behind(Buffer.from("head "));
  expect(() => writer.behind(Buffer.from("longer than the headroom"))).toThrow(RangeError);
  expect([first.toString(), second.toString()]).toEqual([`0123456789${long}`, "head another"]);
});
