/**
 * Indexing reads the words that analysis gives queries: the same, at the same positions, in every
 * script, case and setting; the hash of a word is that of its bytes, and `stemOf` and `termOf` give its tokens.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnalyzerSettings } from "./analyzer.js";
import { createAnalyzer } from "./create-analyzer.js";
import { WORD_BYTES, type WordSink } from "./word-sink.js";

const FACTOR = 0x0100_0193;

class CollectingSink implements WordSink {
  readonly hashFactor = FACTOR;
  readonly wordBytes = new Uint8Array(WORD_BYTES);
  readonly words: { readonly word: string; readonly position: number }[] = [];
  asciiWords = 0;

  asciiWord(length: number, hash: number, position: number): void {
    const word = String.fromCharCode(...this.wordBytes.subarray(0, length));
    let expected = 0;
    for (const byte of this.wordBytes.subarray(0, length)) expected = Math.imul(expected ^ byte, FACTOR);
    expect([word, hash]).toEqual([word, expected]);
    this.asciiWords++;
    this.words.push({ word, position });
  }

  word(word: string, position: number): void {
    this.words.push({ word, position });
  }
}

/** Code points of every class and length, and what joins, composes or breaks words. */
const unit = fc.constantFrom(
  ...[
    ..."\ud559\uad50\uc5d0\uc11c\ub294abzAZ059sS -_'+#\u2019\u02bc\u00ad\u00df\ufb01\u200d\n\u00e9\u00c9\u0130\u0131I\u212a\u03a3\u03c2\u0301\u0e01\u0e31\u3042\u6f22\u30fc",
  ],
  "\u{1d400}",
  "\u{20000}",
  "\u{1f600}",
  "\ud83d",
  "\ude00",
);
const text = fc.oneof(
  fc.string({ unit, maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        "Running",
        "dogs",
        "caf\u00e9s",
        "x5",
        "-",
        " ",
        "\u6f22\u5b57",
        "\ud559\uad50\uc5d0\uc11c\ub294",
      ),
      {
        maxLength: 20,
      },
    )
    .map((parts) => parts.join("")),
);
const settings = fc.constantFrom<AnalyzerSettings>(
  { version: 1 },
  { version: 1, casing: "turkic" },
  { version: 1, foldDiacritics: true },
  { version: 1, stemming: "en" },
  { version: 1, foldDiacritics: true, stemming: "fr" },
  { version: 2 },
  { version: 2, casing: "turkic" },
  { version: 2, foldDiacritics: true, stemming: "en" },
  { version: 2, symbols: "#+" },
  { version: 2, stemming: "en" },
  { version: 3 },
  { version: 3, stemming: "en" },
  { version: 3, foldDiacritics: true, stemming: "fr" },
);

function read(settings: AnalyzerSettings, text: string) {
  const analyzer = createAnalyzer(settings);
  const sink = new CollectingSink();
  const positions = analyzer.readWords(text, sink);
  const { termOf, stemOf } = analyzer;
  const terms = sink.words.flatMap(({ word, position }) => {
    const stem = stemOf === null ? null : stemOf(word);
    const own = { text: termOf === null ? word : termOf(word), position };
    return stem === null ? [own] : [{ text: stem, position }, own];
  });
  return { sink, terms, positions };
}

describe("reading words", () => {
  it("gives the tokens of analysis", () => {
    fc.assert(
      fc.property(settings, text, (settings, text) => {
        const analyzer = createAnalyzer(settings);
        const { terms, positions } = read(settings, text);
        const stored: { text: string; position: number }[] = [];
        analyzer.analyzeStored(text, { token: (text, position) => stored.push({ text, position }) });
        expect(terms).toEqual(stored);
        expect(positions).toBe(analyzer.analyze(text, { token: () => undefined }));
      }),
      { numRuns: 1000 },
    );
  });

  it("drops words of more than 255 bytes, and keeps their position", () => {
    for (const length of [254, 255, 256, 257, 600]) {
      const { terms } = read({ version: 1 }, `${"A".repeat(length)} b`);
      const long = length <= 255 ? [{ text: "a".repeat(length), position: 0 }] : [];
      expect(terms).toEqual([...long, { text: "b", position: 1 }]);
    }
  });

  it("makes no string of a word of ASCII", () => {
    const { sink } = read({ version: 1, stemming: "en" }, "The Quick brown caf\u00e9, foxes2 jump");
    expect([sink.words.length, sink.asciiWords]).toEqual([6, 5]);
  });
});
