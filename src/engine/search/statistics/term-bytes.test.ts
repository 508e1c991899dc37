// Property: a term's bytes are those that the platform's encoder gives, whatever was encoded before.
import fc from "fast-check";
import { expect, test } from "vitest";
import { TermBytes } from "./term-bytes.js";

const encoder = new TextEncoder();
const text = fc.oneof(
  fc.string({ unit: "grapheme-ascii", maxLength: 300 }),
  fc.string({ unit: "grapheme", maxLength: 300 }),
  // Lone surrogates, too.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 })
    .map((units) => String.fromCharCode(...units)),
);

test("bytes are the encoder's", () => {
  const bytes = new TermBytes();
  fc.assert(
    fc.property(text, (term) => {
      expect([...bytes.of(term)]).toEqual([...encoder.encode(term)]);
    }),
    { numRuns: 500 },
  );
});

test.each(["", "a".repeat(255), "a".repeat(256), "€".repeat(255), "€".repeat(256), `${"a".repeat(254)}€`])(
  "terms as long as the room, and longer",
  (term) => {
    const bytes = new TermBytes();
    bytes.of("before");
    expect([...bytes.of(term)]).toEqual([...encoder.encode(term)]);
  },
);
