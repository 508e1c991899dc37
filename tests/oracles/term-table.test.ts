/** Equal texts get equal numbers, in order of appearance; the bytes are those of `TextEncoder`. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TermTable } from "./term-table.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Code points of one to four bytes, their neighbours at each change of length, and halves of pairs. */
const unit = fc.constantFrom(
  ..."\0a\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\u{10000}\u{1f600}\u{10ffff}",
  "\ud800",
  "\udbff",
  "\udc00",
  "\udfff",
);

function termsOf(table: TermTable): string[] {
  const { bytes, offsets } = table;
  return Array.from({ length: table.termCount }, (_, term) =>
    decoder.decode(bytes.subarray(offsets[term]!, offsets[term + 1]!)),
  );
}

describe("a term table", () => {
  it("numbers texts by their bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit, maxLength: 12 }), { maxLength: 60 }), (texts) => {
        const table = new TermTable();
        const numbers = texts.map((text) => table.numberOf(text));
        const wellFormed = texts.map((text) => decoder.decode(encoder.encode(text)));
        const distinct = [...new Set(wellFormed)];
        expect(numbers).toEqual(wellFormed.map((text) => distinct.indexOf(text)));
        // A TextDecoder drops a byte order mark, so both sides go through it.
        expect(termsOf(table)).toEqual(distinct.map((text) => decoder.decode(encoder.encode(text))));
      }),
      { numRuns: 200 },
    );
  });

  it("takes surrogates that stand alone for U+FFFD", () => {
    const table = new TermTable();
    const alone = ["\ud800", "\udc00", "\ud800a", "\udbff\ud83d\ude00", "a\udfff"];
    for (const text of alone) table.numberOf(text);
    expect(termsOf(table)).toEqual(["\ufffd", "\ufffda", "\ufffd\u{1f600}", "a\ufffd"]);
  });

  it("grows past its first slots and bytes", () => {
    const table = new TermTable();
    const texts = Array.from({ length: 20_000 }, (_, i) => `term${i}${"é".repeat(i % 5)}`);
    const numbers = texts.map((text) => table.numberOf(text));
    expect(numbers).toEqual(texts.map((_, i) => i));
    expect(texts.map((text) => table.numberOf(text))).toEqual(numbers);
    expect(termsOf(table)).toEqual(texts);
    expect(table.bytesUsed).toBeGreaterThan(20_000 * 20);
  });
});
