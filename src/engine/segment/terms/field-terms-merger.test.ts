/**
 * Merging segments with deleted documents gives, byte for byte, the field that is built from the
 * surviving documents; that holds for merges of merges too.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  contentOf,
  type NaiveTextField,
  naiveContent,
  naiveTextField,
  randomBits,
  spaceAnalyzer,
} from "../../../../tests/kit/naive-text-field.js";
import { reopenSections } from "../../../../tests/kit/reopen-sections.js";
import { PlainTextFieldBuilder } from "../../../../tests/oracles/plain-text-field-builder.js";
import { releaseShortBuffersToo } from "../../../../tests/setup/release-short-buffers.js";
import { checkFieldTerms } from "../check/check-field-terms.js";
import type { SectionSink } from "../sections.js";
import { runWhole, type SlicedWork } from "../sliced-work.js";
import { type FieldTermsMergeInput, mergeFieldTerms } from "./field-terms-merger.js";
import { FieldTermsReader } from "./field-terms-reader.js";

releaseShortBuffersToo();

function build(field: NaiveTextField, sink: SectionSink): SlicedWork {
  const builder = new PlainTextFieldBuilder(spaceAnalyzer);
  field.forEach((values, docId) => {
    let base = 0;
    for (const value of values) base = builder.addValue(docId, value, base);
  });
  return builder.write(sink, "f3.", field.length);
}

function open(docCount: number, write: (sink: SectionSink) => SlicedWork): FieldTermsReader | null {
  return FieldTermsReader.open(reopenSections(write), "f3.", docCount, null, "memory.idx");
}

/** Every section's name and bytes, in order. */
function sectionsOf(write: (sink: SectionSink) => SlicedWork): [string, Uint8Array][] {
  const sections: [string, Uint8Array][] = [];
  const add: SectionSink["add"] = (name, data) => {
    const chunks = Array.isArray(data) ? (data as readonly Uint8Array[]) : [data as Uint8Array];
    const bytes = chunks.map(
      ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
    );
    sections.push([name, new Uint8Array(Buffer.concat(bytes))]);
  };
  const sink: SectionSink = {
    add,
    addNumbers: add,
    addFolded: (name, encoding, folded, length) => {
      add(`${name}, encoding ${encoding}, ${length} bytes`, folded);
    },
  };
  runWhole(write(sink));
  return sections;
}

const segments = fc.array(
  fc.record({
    seed: fc.integer(),
    docCount: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 100, max: 400 })),
    vocabulary: fc.constantFrom(
      Array.from({ length: 60 }, (_, i) => `w${i.toString(3)}`),
      ["a", "\u{1f600}", "\uffee", "é", "éa", "w1", "漢", "漢字", "ab"],
    ),
    wordsMax: fc.constantFrom(1, 12),
    hugeFreq: fc.constantFrom(0, 0, 300),
    liveShare: fc.constantFrom(0, 0.1, 0.9, 1),
  }),
  { minLength: 1, maxLength: 5 },
);

describe("merged text fields", () => {
  it("equal the field built from the surviving documents", () => {
    fc.assert(
      fc.property(segments, (shapes) => {
        const surviving: (readonly string[])[] = [];
        const inputs: FieldTermsMergeInput[] = shapes.map((shape) => {
          const field = naiveTextField(shape);
          const live = randomBits(shape.seed, field.length, shape.liveShare);
          const docMap = Int32Array.from(field, (values, docId) =>
            ((live[docId >>> 5]! >>> (docId & 31)) & 1) === 1 ? surviving.push(values) - 1 : -1,
          );
          return { reader: open(field.length, (sink) => build(field, sink)), docMap };
        });
        const merged = sectionsOf((sink) => mergeFieldTerms(sink, "f3.", inputs, surviving.length));
        expect(merged).toEqual(sectionsOf((sink) => build(surviving, sink)));

        const reader = open(surviving.length, (sink) =>
          mergeFieldTerms(sink, "f3.", inputs, surviving.length),
        );
        const expected = naiveContent(surviving, null);
        if (reader === null) {
          expect(expected.terms).toEqual([]);
          return;
        }
        expect(contentOf(reader)).toEqual(expected);
        expect(checkFieldTerms(reader)).toEqual([]);

        const again = { reader, docMap: Int32Array.from(surviving, (_, docId) => docId) };
        const remerged = sectionsOf((sink) => mergeFieldTerms(sink, "f3.", [again], surviving.length));
        expect(remerged).toEqual(merged);
      }),
      { numRuns: 25 },
    );
  });

  it("equal it for more terms than are looked at together, and for long lists", () => {
    const word = (n: number): string => `${n % 3 === 0 ? "shared" : "w"}${n.toString(36)}`;
    const fields = [1, 2, 3].map((step) =>
      Array.from({ length: 3000 }, (_, doc) => [
        `all ${word(doc * step)} ${word(doc + 20_000 * step)} all ${word(doc % 7)} ${"often ".repeat(doc % 40)}`,
      ]),
    );
    const isLive = (docId: number): boolean => docId % 11 !== 3 || docId < 500;
    for (const drops of [false, true]) {
      const surviving: (readonly string[])[] = [];
      const inputs = fields.map((field, i) => ({
        reader: open(field.length, (sink) => build(field, sink)),
        docMap: Int32Array.from(field, (values, docId) =>
          !drops || i === 1 || isLive(docId) ? surviving.push(values) - 1 : -1,
        ),
      }));
      const merged = sectionsOf((sink) => mergeFieldTerms(sink, "f3.", inputs, surviving.length));
      expect(merged).toEqual(sectionsOf((sink) => build(surviving, sink)));
    }
  });

  it("leave out terms that lose all their documents", () => {
    const field = [["gone kept"], ["kept"]];
    const reader = open(2, (sink) => build(field, sink));
    const merged = open(1, (sink) =>
      mergeFieldTerms(sink, "f3.", [{ reader, docMap: Int32Array.of(-1, 0) }], 1),
    )!;
    expect(contentOf(merged)).toEqual(naiveContent([["kept"]], null));
  });
});
