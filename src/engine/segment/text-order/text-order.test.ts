// Proves: ranks are those of sorting whole values by case-folded code points,
// also for values that differ only behind the prefix kept in memory; the check notices wrong ranks.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { naiveRanks } from "../../../../tests/kit/naive-ranks.js";
import { reopenSections } from "../../../../tests/kit/reopen-sections.js";
import { releaseShortBuffersToo } from "../../../../tests/setup/release-short-buffers.js";
import { GrowableBytes } from "../../bytes/growable-bytes.js";
import { textSortBytes, writeTextSortPrefix } from "../../schema/text-sort-bytes.js";
import { TextOrderCheck } from "../check/check-text-order.js";
import type { TextOrder } from "../segment-reader.js";
import type { TextSource } from "./stored-texts.js";
import { TextMember } from "./text-member.js";
import { openTextOrder } from "./text-order-reader.js";
import { TextOrderWriter } from "./text-order-writer.js";

releaseShortBuffersToo();

const units = fc.constantFrom("a", "A", "b", "ß", "Σ", "İ", "\u0301", "\u0307", "á", "\uffff", "😀", " ");
const texts = fc.oneof(
  fc.string({ unit: units, maxLength: 4 }),
  // Alike for 60 to 70 bytes, so that prefixes end before, at and behind the difference.
  fc
    .tuple(fc.integer({ min: 58, max: 66 }), fc.string({ unit: units, maxLength: 3 }))
    .map(([n, end]) => "a".repeat(n) + end),
);
const values = fc.option(texts, { freq: 5 });

/** A document whose member `f` comes after others that look like it. */
function jsonOf(text: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ e: { f: ["}", '"f":"x"'] }, g: 'a\\"', f: text }));
}

function sourceOf(documents: readonly (string | null)[], isComposed: boolean): TextSource {
  const member = new TextMember("f", isComposed);
  return {
    *read(docs, texts) {
      for (const docId of docs) {
        member.appendSortBytes(jsonOf(documents[docId]!), texts.bytes, Number.POSITIVE_INFINITY);
        texts.close();
        yield;
      }
    },
  };
}

function written(documents: readonly (string | null)[], isComposed: boolean): TextOrder | null {
  const writer = new TextOrderWriter(isComposed);
  documents.forEach((text, docId) => {
    if (text !== null) writer.add(docId, text);
  });
  const sections = reopenSections((sink) =>
    writer.write(sink, "f0.order.", documents.length, sourceOf(documents, isComposed)),
  );
  return openTextOrder(sections, "f0.order.", documents.length, "a.idx");
}

function problemOf(
  order: TextOrder,
  documents: readonly (string | null)[],
  isComposed = false,
): string | null {
  const check = new TextOrderCheck(order, isComposed);
  documents.forEach((text, docId) => {
    check.learn(docId, text);
  });
  return check.finish((docId) => documents[docId]!);
}

function expectModel(
  order: TextOrder | null,
  documents: readonly (string | null)[],
  isComposed: boolean,
): void {
  if (documents.every((text) => text === null)) {
    expect(order).toBeNull();
    return;
  }
  const compared = documents.map((text) => (isComposed ? (text?.normalize("NFC") ?? null) : text));
  expect([...order!.ranks]).toEqual(naiveRanks(compared));
  expect(problemOf(order!, documents, isComposed)).toBeNull();
}

describe("text order", () => {
  test("written: ranks of sorting whole values", () => {
    fc.assert(
      fc.property(fc.array(values, { maxLength: 25 }), fc.boolean(), (documents, isComposed) => {
        expectModel(written(documents, isComposed), documents, isComposed);
      }),
      { numRuns: 300 },
    );
  });

  test("prefixes are the first bytes of the whole value's", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), fc.string({ unit: units, maxLength: 20 })),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (text, size, isComposed) => {
          const target = new Uint8Array(size + 3);
          const length = writeTextSortPrefix(text, isComposed, target, 3, size);
          expect([...target.subarray(3, 3 + length)]).toEqual([
            ...textSortBytes(text, isComposed).subarray(0, size),
          ]);
          expect([...target.subarray(0, 3), ...target.subarray(3 + length)].every((byte) => byte === 0)).toBe(
            true,
          );
        },
      ),
    );
  });

  test("a member's bytes are those of its value, however it is written", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), fc.string({ unit: units, maxLength: 20 })),
        fc.constantFrom('"', "\\", "\n", "\u0001", "\ud800", "A", "\u0301"),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        (start, end, limit, isComposed) => {
          const target = new GrowableBytes();
          target.append(Uint8Array.of(7));
          new TextMember("f", isComposed).appendSortBytes(jsonOf(start + end), target, limit);
          const sortBytes = textSortBytes(start + end, isComposed);
          expect([...target.toSection()]).toEqual([7, ...sortBytes.subarray(0, limit)]);
        },
      ),
    );
    expect(() => new TextMember("x", false).appendSortBytes(jsonOf("a"), new GrowableBytes(), 9)).toThrow(
      "no text",
    );
  });

  test("check notices wrong ranks", () => {
    const long = "x".repeat(80);
    const documents = ["b", null, "a", "B", `${long}1`, `${long}2`];
    const check = (...ranks: number[]): string | null =>
      problemOf({ ranks: Uint32Array.from(ranks) }, documents);
    expect(check(2, 0, 1, 2, 3, 4)).toBeNull();
    for (const wrong of [
      [1, 0, 2, 1, 3, 4],
      [2, 1, 1, 2, 3, 4],
      [2, 0, 0, 2, 3, 4],
      [2, 0, 1, 3, 4, 5],
      [2, 0, 2, 2, 3, 4],
      [2, 0, 1, 2, 3, 9],
      [2, 0, 1, 2, 3, 5],
      [3, 0, 2, 3, 4, 5],
      [2, 0, 1, 2, 4, 3],
      [2, 0, 1, 2, 3, 3],
    ]) {
      expect(check(...wrong), wrong.join()).not.toBeNull();
    }
  });
});
