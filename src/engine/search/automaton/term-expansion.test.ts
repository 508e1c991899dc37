/**
 * Expansion finds exactly the terms that the whole edit distance matrix says are near enough, with
 * their distances: through tries, through rows for long words, and by scanning.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editDistance } from "../../../../tests/simulation/naive-values.js";
import { BandedDistance } from "../../../analysis/banded-distance.js";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { fold } from "../../../analysis/fold-diacritics.js";
import { distanceOfEdits, FOLDED } from "../../../analysis/word-distance.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import { codePointsOf } from "./code-points.js";
import { expandPrefix } from "./prefix-expansion.js";
import { expandTerm } from "./term-expansion.js";
import { expandWord } from "./word-expansion.js";

const schema = defineSchema({ text: "text" });
const letters = fc.constantFrom(
  "a",
  "a",
  "b",
  "b",
  "c",
  "é",
  "ж",
  "𐐨",
  "á",
  "e",
  "ç",
  "ß",
  "ss",
  "שׁ".normalize("NFC"),
  "ש",
);
/** Words of one to ten letters, most of them a few edits away from the first letters of one and the same word. */
const word = fc
  .tuple(
    fc.integer({ min: 1, max: 8 }),
    fc.array(fc.tuple(fc.nat({ max: 8 }), fc.nat({ max: 2 }), letters), { maxLength: 3 }),
  )
  .map(([length, edits]) => {
    let letterList = [..."abcéabжb"].slice(0, length);
    for (const [at, kind, letter] of edits) {
      const [here, next] = [letterList[at], letterList[at + 1]];
      if (kind === 0) letterList = letterList.toSpliced(at, 0, letter);
      else if (kind === 1 && letterList.length > 1) letterList = letterList.toSpliced(at, 1);
      else if (here !== undefined && next !== undefined) letterList = letterList.toSpliced(at, 2, next, here);
    }
    return letterList.join("");
  });
const stem = "abcabbcacbaabcbacbbcaacbabcab";
/** 27 to 40 letters: on both sides of what bit vectors hold. */
const longWord = fc
  .tuple(fc.nat({ max: 6 }), fc.array(fc.tuple(fc.nat({ max: 30 }), letters), { maxLength: 3 }))
  .map(([extra, edits]) => {
    let letterList = [...`${stem}${"abcacb".slice(0, extra)}`];
    for (const [at, letter] of edits) letterList = letterList.toSpliced(at, letter === "a" ? 1 : 0, letter);
    return letterList.join("");
  });

describe("expandTerm", () => {
  test.each([
    { kind: "short words", words: word },
    { kind: "long words", words: longWord },
  ])("agrees with the whole matrix for $kind", async ({ words }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(words, { minLength: 1, maxLength: 60, size: "max" }),
        fc.array(words, { minLength: 1, maxLength: 12 }),
        async (vocabulary, queries) => {
          const terms = await termsOf(vocabulary);
          expect(terms.tries).not.toBeNull();
          for (const query of [...queries, ...vocabulary.slice(0, 4)]) {
            for (const maxDistance of [0, 1, 2] as const) {
              const expected = expectedExpansion(terms, query, maxDistance);
              expect(toMap(terms, query, maxDistance), `${query} within ${maxDistance}`).toEqual(expected);
              const scanned = toMap(withoutTries(terms), query, maxDistance);
              expect(scanned, `${query} scanned within ${maxDistance}`).toEqual(expected);
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test("finds nothing for a word that no term can be near, however long", async () => {
    const terms = await termsOf(["abc"]);
    expect(expandTerm(terms, "a".repeat(10_000), 2).ordinals).toHaveLength(0);
    expect(toMap(terms, "", 2)).toEqual(new Map());
    expect(toMap(await termsOf(["ab", "abc"]), "", 2)).toEqual(new Map([["ab", 2]]));
  });
});

test("expandPrefix agrees with the distances of all beginnings", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(word, { minLength: 1, maxLength: 60, size: "max" }),
      fc.array(word, { minLength: 1, maxLength: 12 }),
      async (vocabulary, prefixes) => {
        const terms = await termsOf(vocabulary);
        for (const prefix of [...prefixes, "", "a", "ab"]) {
          for (const maxDistance of [0, 1, 2] as const) {
            const expected = new Map<string, number>();
            for (let ordinal = 0; ordinal < terms.termCount; ordinal++) {
              const term = [...new TextDecoder().decode(terms.termBytes(ordinal))];
              const distances = term.map((_, i) => editDistance(term.slice(0, i + 1).join(""), prefix));
              const nearest = Math.min(...distances);
              const isLongEnough = [...prefix].length > maxDistance;
              if (isLongEnough && nearest <= maxDistance) expected.set(term.join(""), nearest);
            }
            for (const given of [terms, withoutTries(terms)]) {
              const { ordinals, distances } = expandPrefix(given, prefix, maxDistance);
              expect([...ordinals]).toEqual([...ordinals].toSorted((a, b) => a - b));
              const found = [...ordinals].map((ordinal, i): [string, number] => [
                new TextDecoder().decode(terms.termBytes(ordinal)),
                distances[i]!,
              ]);
              expect(new Map(found), `${prefix} within ${maxDistance}`).toEqual(expected);
            }
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("expandWord tells words from what only begins like them, whichever distances both may have", async () => {
  const distances = [0, 1, 2] as const;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(word, { minLength: 1, maxLength: 60, size: "max" }),
      fc.array(word, { minLength: 1, maxLength: 6 }),
      async (vocabulary, queries) => {
        const terms = await termsOf(vocabulary);
        for (const term of [...queries, ...vocabulary.slice(0, 2)]) {
          for (const maxDistance of distances) {
            for (const ofBeginnings of distances) {
              const expected = expectedWord(terms, term, maxDistance, ofBeginnings);
              for (const given of [terms, withoutTries(terms)]) {
                const begun = { prefix: term, maxDistance: ofBeginnings };
                const {
                  ordinals,
                  distances: found,
                  areBegun,
                } = expandWord(given, { term, maxDistance, begun });
                const variants = [...ordinals].map((ordinal, i) => [
                  termAt(terms, ordinal),
                  `${found[i]!} ${areBegun![i] === 1 ? "begun" : "whole"}`,
                ]);
                expect(variants, `${term} within ${maxDistance}, begun ${ofBeginnings}`).toEqual(expected);
              }
            }
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});

describe("BandedDistance", () => {
  test("agrees with the whole matrix and never gives up too early", () => {
    fc.assert(
      fc.property(
        fc.oneof(word, longWord),
        fc.oneof(word, longWord),
        fc.constantFrom(1, 2),
        (pattern, text, maximum) => {
          const distance = new BandedDistance(codePointsOf(pattern), maximum, 60);
          const codePoints = codePointsOf(text);
          let alive = true;
          for (let at = 0; at < codePoints.length && alive; at++) alive = distance.push(at, codePoints[at]!);
          const expected = Math.min(editDistance(pattern, text), maximum + 1);
          expect(alive ? distance.distance(codePoints.length) : maximum + 1).toBe(expected);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

async function termsOf(vocabulary: readonly string[]): Promise<FieldTerms> {
  const builder = new SegmentBuilder(schema, createAnalyzer(schema.analyzer));
  builder.add("0".repeat(32), { text: vocabulary.join(" ") });
  const directory = new MemoryDirectory();
  await builder.write(directory, "s00000000");
  return (await openSegment(directory, "s00000000", schema, null)).terms("text")!;
}

function withoutTries(terms: FieldTerms): FieldTerms {
  return new Proxy(terms, {
    get: (target, name) => {
      if (name === "tries") return null;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function termAt(terms: FieldTerms, ordinal: number): string {
  return new TextDecoder().decode(terms.termBytes(ordinal).slice());
}

function toMap(terms: FieldTerms, query: string, maxDistance: 0 | 1 | 2): Map<string, number> {
  const { ordinals, distances } = expandTerm(terms, query, maxDistance);
  expect([...ordinals]).toEqual([...ordinals].sort((a, b) => a - b));
  return new Map([...ordinals].map((ordinal, i) => [termAt(terms, ordinal), distances[i]!]));
}

/** In the order of the terms: what each is to the word. */
function expectedWord(
  terms: FieldTerms,
  word: string,
  maxDistance: number,
  ofBeginnings: number,
): string[][] {
  const found: string[][] = [];
  for (let ordinal = 0; ordinal < terms.termCount; ordinal++) {
    const term = termAt(terms, ordinal);
    const letterList = [...term];
    const beginnings = letterList.map((_, i) => editDistance(letterList.slice(0, i + 1).join(""), word));
    const near = Math.min(...beginnings);
    const whole = editDistance(term, word);
    const asBegun = [...word].length > ofBeginnings && near <= ofBeginnings ? near : Number.POSITIVE_INFINITY;
    const asWhole = whole <= maxDistance ? whole : Number.POSITIVE_INFINITY;
    if (Math.min(asWhole, asBegun) > 0 && maxDistance > 0) {
      if (fold(term) === fold(word)) found.push([term, `${FOLDED} whole`]);
      const isBegun = [...word].length > ofBeginnings && fold(term).startsWith(fold(word));
      if (isBegun && fold(term) !== fold(word)) found.push([term, `${FOLDED} begun`]);
      if (isBegun || fold(term) === fold(word)) continue;
    }
    const distance = (edits: number): number => (edits === 0 ? 0 : distanceOfEdits(edits));
    if (asWhole <= asBegun && asWhole < Number.POSITIVE_INFINITY)
      found.push([term, `${distance(asWhole)} whole`]);
    else if (asBegun < asWhole) found.push([term, `${distance(asBegun)} begun`]);
  }
  return found;
}

function expectedExpansion(terms: FieldTerms, query: string, maxDistance: number): Map<string, number> {
  const all = Array.from({ length: terms.termCount }, (_, ordinal) => termAt(terms, ordinal));
  return new Map(
    all
      .map((term) => [term, editDistance(query, term)] as const)
      .filter(([, distance]) => distance <= maxDistance),
  );
}
