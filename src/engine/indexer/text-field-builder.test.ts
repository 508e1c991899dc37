/**
 * What is built reads back as the model says: every term, document, frequency, position, length and
 * statistic, block by block or in any order; every block bound bounds its block; the check finds
 * nothing wrong, and says so about damaged data.
 */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  contentOf,
  type NaiveTextField,
  naiveContent,
  naiveTextField,
  randomBits,
  randomNumbers,
  spaceAnalyzer,
} from "../../../tests/kit/naive-text-field.js";
import { reopenSections } from "../../../tests/kit/reopen-sections.js";
import { releaseShortBuffersToo } from "../../../tests/setup/release-short-buffers.js";
import { fieldNormCode, fieldNormLength } from "../bytes/field-norm.js";
import { BuildingMemory } from "../kernels/building-memory.js";
import { checkFieldTerms } from "../segment/check/check-field-terms.js";
import type { ContainerReader } from "../segment/container/container-reader.js";
import { runWhole } from "../segment/sliced-work.js";
import { FieldTermsReader } from "../segment/terms/field-terms-reader.js";
import { TextFieldBuilder } from "./text-field-builder.js";

releaseShortBuffersToo();

const encoder = new TextEncoder();

const LATIN = Array.from({ length: 60 }, (_, i) => `w${i.toString(3)}`);
/** Code points of one to four bytes, prefixes of each other, and a pair that UTF-16 orders the other way. */
const UNICODE = [
  "a",
  "\u{1f600}",
  "\uffee",
  "é",
  "éa",
  "漢",
  "漢字",
  "ab",
  "\u{1f600}é",
  "\u{10ffff}",
  "z\0",
  "z",
];

const shapes = fc.record({
  seed: fc.integer(),
  docCount: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 120, max: 700 })),
  vocabulary: fc.constantFrom(LATIN, UNICODE, ["only"]),
  wordsMax: fc.constantFrom(1, 4, 30),
  hugeFreq: fc.constantFrom(0, 0, 300, 5_000),
});

/** Tokens sorted at a time; the terms of most fields here have fewer, some have more. */
const TOKENS_PER_PASS = 50;

let memory: BuildingMemory;
beforeEach(() => {
  memory = BuildingMemory.take();
});
afterEach(() => memory.giveBack());

function build(field: NaiveTextField): ContainerReader {
  memory.giveBack();
  memory = BuildingMemory.take();
  const builder = new TextFieldBuilder(memory, spaceAnalyzer, TOKENS_PER_PASS);
  field.forEach((values, docId) => {
    let base = 0;
    for (const value of values) base = builder.addValue(docId, value, base);
  });
  return reopenSections((sink) => builder.write(sink, "f0.", field.length));
}

function open(field: NaiveTextField, liveDocs: Uint32Array | null = null): FieldTermsReader | null {
  return FieldTermsReader.open(build(field), "f0.", field.length, liveDocs, "memory.idx");
}

describe("a built text field", () => {
  it("holds what the documents hold", () => {
    fc.assert(
      fc.property(
        shapes,
        fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null }),
        (shape, liveShare) => {
          const field = naiveTextField(shape);
          const liveDocs = liveShare === null ? null : randomBits(shape.seed, field.length, liveShare);
          const expected = naiveContent(field, liveDocs);
          const reader = open(field, liveDocs);
          if (reader === null) {
            expect(expected.terms).toEqual([]);
            return;
          }
          expect(contentOf(reader)).toEqual(expected);
          expect([...reader.norms]).toEqual(expected.lengths.map(fieldNormCode));
          expect(checkFieldTerms(reader)).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("gives its blocks in any order, and skips to documents", () => {
    fc.assert(
      fc.property(shapes, fc.integer(), (shape, seed) => {
        const field = naiveTextField({
          ...shape,
          docCount: shape.docCount + 300,
          hugeFreq: 300,
        });
        const reader = open(field);
        if (reader === null) return;
        const { terms } = naiveContent(field, null);
        const random = randomNumbers(seed);
        for (let ordinal = 0; ordinal < Math.min(3, terms.length); ordinal++) {
          const { postings } = terms[ordinal]!;
          const cursor = reader.postings(ordinal);
          expect([cursor.block, cursor.docFreq]).toEqual([-1, postings.length]);
          expect(cursor.blockCount).toBe(postings.length < 128 ? 1 : Math.ceil(postings.length / 128));
          for (let turn = 0; turn < 20; turn++) {
            const from = Math.max(cursor.block, 0);
            const target = Math.floor(random() * (field.length + 2));
            const sought = postings.findIndex((posting, i) => i >= from * 128 && posting[0]! >= target);
            expect(cursor.seekBlock(target)).toBe(sought < 0 ? cursor.blockCount : Math.floor(sought / 128));

            const block = Math.floor(random() * cursor.blockCount);
            cursor.loadBlock(block);
            const expected = postings.slice(block * 128, block * 128 + 128);
            expect(cursor.block).toBe(block);
            expect(cursor.lastDoc(block)).toBe(expected.at(-1)![0]);
            expect([...cursor.docs.subarray(0, cursor.length)]).toEqual(
              expected.map((posting) => posting[0]),
            );
            if (random() < 0.3) continue;
            cursor.loadFreqs();
            expect([...cursor.freqs.subarray(0, cursor.length)]).toEqual(
              expected.map((posting) => posting.length - 1),
            );
            const index = Math.floor(random() * cursor.length);
            const positions = new Uint32Array(expected[index]!.length - 1);
            expect(cursor.positions(index, positions)).toBe(positions.length);
            expect([...positions]).toEqual(expected[index]!.slice(1));
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  it("bounds the impacts of every block, and reaches the bound", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const reader = open(naiveTextField(shape));
        if (reader === null) return;
        const average = reader.totals.tokens / reader.totals.docsWithTokens;
        const impact = (freq: number, norm: number) =>
          freq / (freq + 1.2 * (0.25 + (0.75 * fieldNormLength(norm)) / average));
        for (let ordinal = 0; ordinal < reader.termCount; ordinal++) {
          const cursor = reader.postings(ordinal);
          for (let block = 0; block < cursor.blockCount; block++) {
            cursor.loadBlock(block);
            cursor.loadFreqs();
            const impacts = Array.from({ length: cursor.length }, (_, i) =>
              impact(cursor.freqs[i]!, reader.norms[cursor.docs[i]!]!),
            );
            const greatest = Math.max(...impacts);
            const { freq, norm } = cursor.maxImpact(block);
            if (freq < 255) expect(impact(freq, norm)).toBeCloseTo(greatest, 12);
            else expect(Math.max(...cursor.freqs.subarray(0, cursor.length))).toBeGreaterThanOrEqual(255);
            if (cursor.docFreq < 128) continue;
            const bound = reader.postingSections.bounds[reader.dictionary.references[ordinal]! + block]!;
            expect(bound).toBeGreaterThanOrEqual(65_535 * greatest - 1e-9);
            // Where the product is whole, the builder's order of operations may round it up.
            expect(bound - 1).toBeLessThan(65_535 * greatest + 1e-9);
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it("keeps frequencies of any size", () => {
    const shape = { seed: 3, docCount: 300, vocabulary: LATIN, wordsMax: 4, hugeFreq: 70_000 };
    const rare = ["once", "twice twice"].map((text) => [`${`${text} `.repeat(300)}${text}`]);
    const field = [...naiveTextField(shape), ...rare, ["twice"]];
    expect(contentOf(open(field)!)).toEqual(naiveContent(field, null));
  });

  it("finds terms by their bytes", () => {
    const reader = open([[UNICODE.join(" ")], [LATIN.join(" ")]])!;
    const terms = [...UNICODE, ...LATIN].map((term) => encoder.encode(term)).sort(Buffer.compare);
    const sought = ["", "w", "w0a", "\u{1f5ff}", "\uffff", "\u{10ffff}z", "é", "zz"].map((term) =>
      encoder.encode(term),
    );
    for (const term of [...terms, ...sought]) {
      const after = terms.findIndex((other) => Buffer.compare(other, term) >= 0);
      const equal = terms.findIndex((other) => Buffer.compare(other, term) === 0);
      expect(reader.lowerBound(term)).toBe(after < 0 ? terms.length : after);
      expect(reader.ordinalOf(term)).toBe(equal);
      if (equal >= 0) expect(reader.termBytes(equal)).toEqual(term);
    }
  });

  it("stores bits exactly for terms in many documents", () => {
    const field = Array.from({ length: 3072 }, (_, docId) => [
      [
        "all",
        docId % 16 === 0 ? "sixteenth" : "",
        docId % 15 === 0 ? "fifteenth" : "",
        docId < 127 ? "few" : "",
      ].join(" "),
    ]).map(([text]) => [text!.trim().replaceAll(/ +/g, " ")]);
    const reader = open(field)!;
    const bitsOf = (term: string) => reader.denseDocs(reader.ordinalOf(encoder.encode(term)));
    expect(bitsOf("few")).toBeNull();
    expect(bitsOf("sixteenth")).toBeNull();
    for (const [term, step] of [
      ["all", 1],
      ["fifteenth", 15],
    ] as const) {
      const expected = new Uint32Array(Math.ceil(3072 / 32));
      for (let docId = 0; docId < 3072; docId += step) expected[docId >>> 5]! |= 1 << (docId & 31);
      expect(bitsOf(term)).toEqual(expected);
      const ranks = reader.denseRanks(reader.ordinalOf(encoder.encode(term)))!;
      expect([...ranks]).toEqual([0, 512, 1024, 1536, 2048, 2560].map((docId) => Math.ceil(docId / step)));
    }
  });

  it("takes lone surrogates for U+FFFD and counts documents without a value after the last", () => {
    const builder = new TextFieldBuilder(memory, spaceAnalyzer);
    builder.addValue(2, "\ud800 a\udc00b x\ud83d", 0);
    const source = reopenSections((sink) => builder.write(sink, "f0.", 9));
    const reader = FieldTermsReader.open(source, "f0.", 9, null, "memory.idx")!;
    expect(contentOf(reader)).toEqual(
      naiveContent([[], [], ["\ud800 a\udc00b x\ud83d"], [], [], [], [], [], []], null),
    );
  });

  it("can be written again, and be added to after", () => {
    const builder = new TextFieldBuilder(memory, spaceAnalyzer);
    builder.addValue(0, "a b a", 0);
    reopenSections((sink) => builder.write(sink, "f0.", 1));
    builder.addValue(2, "b c", 0);
    for (let turn = 0; turn < 2; turn++) {
      const source = reopenSections((sink) => builder.write(sink, "f0.", 3));
      const reader = FieldTermsReader.open(source, "f0.", 3, null, "memory.idx")!;
      expect(contentOf(reader)).toEqual(naiveContent([["a b a"], [], ["b c"]], null));
    }
  });

  it("writes nothing without tokens", () => {
    expect(open([[""], [], ["_ _"]])).toBeNull();
  });

  it("refuses more positions than a document can have", () => {
    const builder = new TextFieldBuilder(memory, spaceAnalyzer);
    expect(() => builder.addValue(0, "word", 2 ** 31 - 50)).toThrow("positions");
  });

  it("counts its memory", () => {
    const builder = new TextFieldBuilder(memory, spaceAnalyzer);
    const before = builder.bytesUsed;
    for (let docId = 0; docId < 1000; docId++) builder.addValue(docId, `a b c word${docId}`, 0);
    expect(builder.bytesUsed).toBeGreaterThan(before + 4 * 4000);
  });
});

describe("the check", () => {
  /** Sections whose bytes can be changed without harm to lengths; every change must show. */
  const SECTIONS = [
    "terms.bytes",
    "terms.docFreqs",
    "terms.references",
    "terms.positionReferences",
    "blocks.lastDocs",
    "blocks.dataOffsets",
    "blocks.positionOffsets",
    "blocks.docBits",
    "blocks.freqBits",
    "blocks.positionGroups",
    "positions.widths",
    "dense.bits",
    "dense.ranks",
    "dense.ordinals",
    "norms",
    "lengths.packed",
    "tries.alphabet",
    "tries.forward.labels",
    "tries.forward.depths",
    "tries.forward.values",
    "tries.backward.labels",
    "tries.backward.depths",
    "tries.backward.values",
  ];

  it.each(SECTIONS)("notices damage to %s", (name) => {
    const field = naiveTextField({ seed: 7, docCount: 1024, vocabulary: LATIN, wordsMax: 30, hugeFreq: 300 });
    const random = randomNumbers(11);
    for (let turn = 0; turn < 10; turn++) {
      const source = build(field);
      const opened = () => FieldTermsReader.open(source, "f0.", field.length, null, "memory.idx")!;
      // What is made of the other sections is to be compared with them, too.
      runWhole(opened().tries!.make());
      const section = source.u8(`f0.${name}`);
      // Packed lengths end in padding, which nothing reads.
      const used = name === "lengths.packed" ? section.length - 64 : section.length;
      section[Math.floor(random() * used)]! ^= 1 << Math.floor(random() * 8);
      expect(checkFieldTerms(opened())).not.toEqual([]);
    }
  });

  it("notices terms that the tries can't be made of", () => {
    const field = naiveTextField({ seed: 7, docCount: 1024, vocabulary: LATIN, wordsMax: 30, hugeFreq: 300 });
    const source = build(field);
    // Another first letter: more or fewer nodes.
    source.u8("f0.terms.bytes").fill(0x7a, 0, 1);
    const reader = FieldTermsReader.open(source, "f0.", field.length, null, "memory.idx")!;
    expect(checkFieldTerms(reader).join()).toMatch(/tries/);
  });
});
