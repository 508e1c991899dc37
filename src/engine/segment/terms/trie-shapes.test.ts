/** Kernels find what plain TypeScript finds, for words of all scripts, and refuse what tries can't hold. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { plainTrieShapes } from "../../../../tests/oracles/build-trie.js";
import { runWhole } from "../sliced-work.js";
import { trieShapes } from "./trie-shapes.js";

function expectSame(terms: readonly string[]): void {
  const encoded = [...new Set(terms)].map((term) => Buffer.from(term)).sort(Buffer.compare);
  const offsets = new Uint32Array(encoded.length + 1);
  encoded.forEach((term, i) => {
    offsets[i + 1] = offsets[i]! + term.length;
  });
  const bytes = new Uint8Array(Buffer.concat(encoded));
  expect(runWhole(trieShapes(bytes, offsets))).toEqual(plainTrieShapes(bytes, offsets));
}

it("are the same for terms of any letters", () => {
  const letter = fc.oneof(
    fc.constantFrom(..."abcxyz"),
    fc.constantFrom("é", "ß", "ж", "漢", "\uffee", "\u{1f600}", "\u{10ffff}", "\u0800", "\u07ff"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  );
  const parts = fc.array(fc.array(letter, { maxLength: 6 }), { minLength: 10, maxLength: 30 });
  fc.assert(
    fc.property(parts, parts, (starts, ends) => {
      const terms = starts.flatMap((start) => ends.map((end) => [...start, ...end].join("")));
      expectSame([...terms, ...Array.from({ length: 300 }, (_, i) => `n${i}`)]);
      expectSame(terms.slice(0, 5));
    }),
    { numRuns: 60 },
  );
});

it("are the same for terms that are too long, or of too many letters", () => {
  const many = Array.from({ length: 300 }, (_, i) => `n${i}`);
  for (const length of [254, 255, 256]) expectSame([...many, "é".repeat(length)]);
  for (const count of [65_534, 65_535]) {
    const letters = Array.from({ length: count }, (_, i) => String.fromCodePoint(0x1_0000 + i));
    expectSame(letters);
  }
});
