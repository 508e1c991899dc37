/**
 * Kernels write, byte for byte, what the plain builder writes: whatever the words, the documents' order of
 * magnitude, the analyzer, and how often it is written.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { naiveTextField, spaceAnalyzer } from "../../../tests/kit/naive-text-field.js";
import { PlainTextFieldBuilder } from "../../../tests/oracles/plain-text-field-builder.js";
import { releaseShortBuffersToo } from "../../../tests/setup/release-short-buffers.js";
import type { Analyzer } from "../../analysis/analyzer.js";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { BuildingMemory } from "../kernels/building-memory.js";
import type { SectionSink } from "../segment/sections.js";
import { runWhole } from "../segment/sliced-work.js";
import { TextFieldBuilder } from "./text-field-builder.js";

releaseShortBuffersToo();

type Inverter = TextFieldBuilder | PlainTextFieldBuilder;

/** Names and contents of all sections, to compare. */
function sectionsOf(inverter: Inverter, maxDoc: number): Map<string, string> {
  const sections = new Map<string, string>();
  const add = (name: string, kind: string, { buffer, byteOffset, byteLength }: Uint8Array): void => {
    sections.set(name, `${kind} ${Buffer.from(buffer, byteOffset, byteLength).toString("base64")}`);
  };
  const sink: SectionSink = {
    add: (name, data) => {
      const isChunked = Array.isArray(data);
      const bytes = isChunked ? Buffer.concat(data as readonly Uint8Array[]) : (data as Uint8Array);
      add(name, isChunked ? "Uint8Array" : data.constructor.name, bytes);
    },
    addNumbers: (name, data) => add(name, data.constructor.name, data as Uint8Array),
    addFolded: (name, encoding, folded, length) => add(name, `${encoding} ${length}`, folded),
  };
  runWhole(inverter.write(sink, "f0.", maxDoc));
  return sections;
}

function fill(inverter: Inverter, field: readonly (readonly string[])[], from = 0, to = field.length): void {
  for (let docId = from; docId < to; docId++) {
    let base = 0;
    for (const value of field[docId]!) base = inverter.addValue(docId, value, base);
  }
}

function expectSame(field: readonly (readonly string[])[], analyzer: Analyzer, tokensPerPass?: number): void {
  const plain = new PlainTextFieldBuilder(analyzer, tokensPerPass);
  const taken = BuildingMemory.take();
  const byKernels = new TextFieldBuilder(taken, analyzer, tokensPerPass);
  fill(plain, field);
  fill(byKernels, field);
  expect(sectionsOf(byKernels, field.length)).toEqual(sectionsOf(plain, field.length));
  taken.giveBack();
}

/** Characters around every line that the tables draw, and some beyond. */
const LETTERS = [
  ..."aAzZ09 .-_/'\"\0\t",
  ..."éÉßÿŸıİŁłΣσςΩΆάЖжЁёאبª¼µŉǅȺ",
  ..."\u0300\u0301\u0345\u037e\u0374\u0387\u07ff\u0800",
  ..."’“…—€→\u2000\u2001\u20dd\u2126\u2c00漢字かなไทย\u1100\u1161",
  "\u{1f600}",
  "\u{1f1e6}",
  "\u{1fc00}",
  "\u{10400}",
  "\ud800",
  "\udc00",
];
const texts = fc.oneof(
  fc.array(fc.constantFrom(...LETTERS), { maxLength: 120 }).map((letters) => letters.join("")),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "grapheme-ascii", maxLength: 300 }),
  fc.constantFrom(
    "x".repeat(255),
    "x".repeat(256),
    `${"é".repeat(127)}a`,
    `${"é".repeat(128)} b`,
    "é".repeat(1100),
  ),
);
const documents = fc.array(fc.array(texts, { maxLength: 3 }), { minLength: 1, maxLength: 12 });

const shapes = fc.record({
  seed: fc.integer(),
  docCount: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 120, max: 1500 })),
  vocabulary: fc.constantFrom(
    Array.from({ length: 60 }, (_, i) => `w${i.toString(3)}`),
    ["a", "\u{1f600}", "é", "漢字", "z\0", "z", "z\0\0", "zzzzzzzz", "zzzzzzzz\0", "zzzzzzzzz", ""],
    ["only"],
  ),
  wordsMax: fc.constantFrom(1, 4, 30),
  hugeFreq: fc.constantFrom(0, 0, 300, 40_000),
});

describe("a field built by kernels", () => {
  it("is the plain builder's, for words of an analyzer's own", () => {
    fc.assert(
      fc.property(shapes, fc.constantFrom(50, 5000), (shape, tokensPerPass) => {
        expectSame(naiveTextField(shape), spaceAnalyzer, tokensPerPass);
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ["plain", createAnalyzer({ version: 1 })],
    ["turkic", createAnalyzer({ version: 1, casing: "turkic" })],
    ["folded and stemmed", createAnalyzer({ version: 1, foldDiacritics: true, stemming: "en" })],
    ["stems beside words", createAnalyzer({ version: 3, stemming: "en" })],
    ["stems beside folded words", createAnalyzer({ version: 3, foldDiacritics: true, stemming: "ru" })],
    ["the newest, without stems", createAnalyzer({ version: 3 })],
  ])("is the plain builder's, for texts of all scripts, %s", (_, analyzer) => {
    fc.assert(
      fc.property(documents, (field) => expectSame(field, analyzer)),
      { numRuns: 150 },
    );
  });

  it("is the plain builder's, for many distinct words", () => {
    let state = 1;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const prefixes = ["", "shared", "sharedprefix", "sharedprefixofsixteenandmore"];
    const field = Array.from({ length: 6000 }, () => [
      Array.from(
        { length: random(40) },
        () => prefixes[random(4)]! + random(1 << random(20)).toString(36),
      ).join(" "),
    ]);
    // Numbers of words take more than one unit of the stream.
    expect(new Set(field.join(" ").split(" ")).size).toBeGreaterThan(1 << 15);
    expectSame(field, createAnalyzer({ version: 1 }), 1000);
  });

  it.each([
    ["just fit", 2 ** 28],
    ["don't fit", 2 ** 30],
  ])("is the plain builder's, where documents and positions %s into a word", (_, positionBase) => {
    const analyzer = createAnalyzer({ version: 1 });
    const taken = BuildingMemory.take();
    const plain = new PlainTextFieldBuilder(analyzer);
    const byKernels = new TextFieldBuilder(taken, analyzer);
    for (const builder of [plain, byKernels]) {
      for (let docId = 1; docId < 8; docId++) builder.addValue(docId, "a b a c", positionBase + docId);
    }
    expect(sectionsOf(byKernels, 8)).toEqual(sectionsOf(plain, 8));
    taken.giveBack();
  });

  it("goes on after it has been written", () => {
    const field = naiveTextField({
      seed: 7,
      docCount: 300,
      vocabulary: ["a", "b", "c"],
      wordsMax: 9,
      hugeFreq: 0,
    });
    const taken = BuildingMemory.take();
    const analyzer = createAnalyzer({ version: 3, stemming: "en" });
    const byKernels = new TextFieldBuilder(taken, analyzer, 100);
    const plain = new PlainTextFieldBuilder(analyzer, 100);
    for (let from = 0; from < field.length; from += 100) {
      fill(byKernels, field, from, from + 100);
      fill(plain, field, from, from + 100);
      expect(sectionsOf(byKernels, from + 100)).toEqual(sectionsOf(plain, from + 100));
    }
    taken.giveBack();
  });

  it("shares a memory with others", () => {
    const taken = BuildingMemory.take();
    const analyzer = createAnalyzer({ version: 1 });
    const builders = [new TextFieldBuilder(taken, analyzer), new TextFieldBuilder(taken, analyzer)];
    const plain = [new PlainTextFieldBuilder(analyzer), new PlainTextFieldBuilder(analyzer)];
    for (let docId = 0; docId < 2000; docId++) {
      for (const [i, builder] of [...builders, ...plain].entries())
        builder.addValue(docId, `field ${i % 2} of ${docId} and ${docId % 97}`, 0);
    }
    for (const i of [0, 1]) expect(sectionsOf(builders[i]!, 2000)).toEqual(sectionsOf(plain[i]!, 2000));
    taken.giveBack();
  });
});
