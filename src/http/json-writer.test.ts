/** Whatever pieces it is put together from, the bytes are the UTF-8 of their text; each answer has its own. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonWriter } from "./json-writer.js";

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  // Longer than the writer's memory at first.
  fc.integer({ min: 60_000, max: 1_200_000 }).map((length) => "wörter".repeat(length / 6)),
);
const piece = fc.record({
  kind: fc.constantFrom("text", "ascii", "bytes"),
  text: fc.oneof({ weight: 20, arbitrary: fc.string({ unit: "grapheme", maxLength: 200 }) }, text),
});

test("writes what its pieces say, one answer after the other", () => {
  const writer = new JsonWriter();
  fc.assert(
    fc.property(fc.array(fc.array(piece, { maxLength: 12 }), { maxLength: 4 }), (answers) => {
      const taken = answers.map((pieces) => {
        for (const { kind, text: written } of pieces) {
          if (kind === "bytes") writer.bytes(Buffer.from(written));
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
});

function asciiOf(written: string): string {
  return written.replaceAll(/[^ -~]/g, "?");
}

test("what wasn't taken is forgotten", () => {
  const writer = new JsonWriter();
  writer.text("half an answer");
  expect(writer.clear().text("another").take().toString()).toBe("another");
});
