/**
 * Kernels fold, byte for byte, what plain TypeScript folds, and unfold to the same; what doesn't fit together is
 * refused by either.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reopenSections } from "../../../tests/kit/reopen-sections.js";
import { plainTries } from "../../../tests/oracles/build-trie.js";
import {
  packNumbers as packPlainly,
  unpackNumbers as unpackPlainly,
} from "../../../tests/oracles/packed-numbers.js";
import {
  foldFrontCodedPlainly,
  foldLongsPlainly,
  foldReferencesPlainly,
} from "../../../tests/oracles/plain-folding.js";
import { BuildingMemory } from "../kernels/building-memory.js";
import { type NumberArray, packNumbers, unpackNumbers } from "../kernels/pack-numbers.js";
import { compareBytes } from "../schema/compare-bytes.js";
import { foldLongs } from "./columns/fold-longs.js";
import type { ContainerReader } from "./container/container-reader.js";
import { SECTION_ENCODINGS } from "./sections.js";
import { runWhole } from "./sliced-work.js";
import { foldFrontCoded } from "./strings/front-coding.js";
import { foldReferences } from "./terms/fold-references.js";
import { addDictionarySections } from "./terms/term-dictionary.js";
import { writeTermTries } from "./terms/term-tries.js";

const number = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 300 }) },
  { weight: 2, arbitrary: fc.nat({ max: 70_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff_ffff }) },
);
/** Numbers of all forms: without order, ascending, by constant steps, nearly ascending, all alike. */
const numbers = fc
  .tuple(
    fc.oneof(
      fc.array(number, { minLength: 1, maxLength: 20 }),
      fc.array(number, { minLength: 256, maxLength: 700 }),
    ),
    fc.integer({ min: 0, max: 0xffff_ffff }),
    fc.nat({ max: 5 }),
  )
  .map(([values, first, form]) => {
    let sum = first;
    switch (form) {
      case 0:
        return values.sort((a, b) => a - b);
      case 1:
        return values.map((_, i) => (first + i * 7) % 0x1_0000_0000);
      case 2:
        return values.map((value) => {
          sum = (sum + (value % 16) - 3) >>> 0;
          return sum;
        });
      case 3:
        return values.map(() => first);
      default:
        return values;
    }
  });

describe("packed numbers", () => {
  it.each([
    ["u32", (values: number[]): NumberArray => Uint32Array.from(values)],
    ["u16", (values: number[]): NumberArray => Uint16Array.from(values)],
    ["u8", (values: number[]): NumberArray => Uint8Array.from(values)],
  ])("are the same, %s", (_, arrayOf) => {
    fc.assert(
      fc.property(numbers, (values) => {
        const array = arrayOf(values);
        const packed = packNumbers(array);
        expect(packed).toEqual(packPlainly(array).slice());
        for (const unpack of [unpackNumbers, unpackPlainly]) {
          const target = arrayOf(values).fill(0);
          unpack(packed, target);
          expect(target).toEqual(array);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("of another count are refused", () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 200 }), (values, surplus) => {
        const packed = packNumbers(Uint32Array.from(values));
        const cut = packed.subarray(0, Math.max(1, packed.length - surplus));
        expect(() => unpackNumbers(cut, new Uint32Array(values.length))).toThrow();
        expect(() => unpackNumbers(Uint8Array.of(9, 1), new Uint32Array(values.length))).toThrow();
      }),
      { numRuns: 100 },
    );
  });

  it("are the same in steps of whole frames", () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 3 }), (values, frames) => {
        const packed = packNumbers(Uint32Array.from(values));
        const memory = BuildingMemory.take();
        const { functions } = memory;
        const source = memory.place(packed);
        const target = functions.allocate(4 * values.length + 16);
        functions.beginNumbers(source, source + packed.length);
        let end = 0;
        for (let from = 0; from < values.length; from += 128 * frames) {
          end = functions.nextNumbers(target + 4 * from, Math.min(128 * frames, values.length - from));
        }
        expect(end).toBe(source + packed.length);
        const start = target >>> 2;
        expect([...memory.words.subarray(start, start + values.length)]).toEqual(values);
        memory.giveBack();
      }),
      { numRuns: 200 },
    );
  });
});

it("long integers are the same", () => {
  const long = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 2n ** 33n }));
  fc.assert(
    fc.property(fc.array(long, { maxLength: 400 }), (values) => {
      const bytes = new Uint8Array(8 * values.length);
      const view = new DataView(bytes.buffer);
      values
        .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
        .forEach((value, i) => {
          view.setBigUint64(8 * i, value);
        });
      const folded = foldLongs(bytes);
      expect(folded).toEqual(foldLongsPlainly(bytes));
      const unfolded = reopenSections(function* (sink) {
        sink.addFolded("values", SECTION_ENCODINGS.longs, folded, bytes.length);
        yield;
      }).u8("values");
      expect(Buffer.compare(unfolded, bytes)).toBe(0);
    }),
    { numRuns: 60 },
  );
});

describe("dictionaries", () => {
  const letter = fc.constantFrom("a", "b", "c", "é", "漢", "\u{1f600}");
  const words = fc.uniqueArray(fc.array(letter, { maxLength: 7 }), {
    minLength: 1,
    maxLength: 500,
    selector: (letters) => letters.join(""),
  });
  const dictionaries = fc
    .tuple(words, fc.constantFrom("", "ab".repeat(60)), fc.integer())
    .map(([all, start, seed]) => {
      const terms = all
        .map((letters) => new TextEncoder().encode(start + letters.join("")))
        .sort(compareBytes);
      const offsets = new Uint32Array(terms.length + 1);
      terms.forEach((term, i) => {
        offsets[i + 1] = offsets[i]! + term.length;
      });
      let state = seed;
      const drawn = (below: number): Uint32Array =>
        Uint32Array.from(terms, () => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
          return Math.floor((state / 2 ** 32) * below);
        });
      // Lists in blocks would need those blocks to be found again.
      const docFreqs = drawn(4).map((docFreq) => docFreq + 1);
      return {
        bytes: new Uint8Array(Buffer.concat(terms)),
        offsets,
        docFreqs,
        references: drawn(50_000),
        positionReferences: drawn(90_000).sort(),
      };
    });

  function expectTries(sections: ContainerReader, expected: ReadonlyMap<string, Uint8Array> | null): void {
    const tries = sections.deferred("f0.tries.forward.labels");
    expect(tries === null).toBe(expected === null);
    if (tries === null || expected === null) return;
    runWhole(tries.make());
    for (const [name, bytes] of expected)
      expect(Buffer.compare(sections.u8(`f0.tries.${name}`), bytes), name).toBe(0);
  }

  it("are the same, tries included", () => {
    fc.assert(
      fc.property(dictionaries, (dictionary) => {
        const { bytes, offsets, docFreqs, references } = dictionary;
        expect(foldFrontCoded(bytes, offsets)).toEqual(foldFrontCodedPlainly(bytes, offsets));
        expect(foldReferences(references, docFreqs)).toEqual(foldReferencesPlainly(references, docFreqs));
        const sections = reopenSections(function* (sink) {
          sink.add("f0.blocks.positionOffsets", new Uint32Array(0));
          addDictionarySections(sink, "f0.", dictionary);
          yield* writeTermTries(sink, "f0.", bytes, offsets);
        });
        expect(Buffer.compare(sections.u8("f0.terms.bytes"), bytes)).toBe(0);
        for (const name of ["offsets", "docFreqs", "references", "positionReferences"] as const)
          expect(sections.u32(`f0.terms.${name}`)).toEqual(dictionary[name]);
        expectTries(sections, plainTries(bytes, offsets));
      }),
      { numRuns: 60 },
    );
  });
});
