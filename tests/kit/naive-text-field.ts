import type { Analyzer } from "../../src/analysis/analyzer.js";
import type { DocBits } from "../../src/engine/segment/segment-reader.js";
import type { FieldTermsReader } from "../../src/engine/segment/terms/field-terms-reader.js";

/** A text field in plain arrays: per document its values. The oracle for tests of text fields. */
export type NaiveTextField = readonly (readonly string[])[];

/** A field's whole content in an order of its own, for comparing. */
export interface TextFieldContent {
  /** Ascending; the term in hexadecimal UTF-8, then per document its id and positions. */
  readonly terms: readonly { readonly term: string; readonly postings: readonly (readonly number[])[] }[];
  readonly lengths: readonly number[];
  readonly liveDocCount: number;
  readonly liveTokenCount: number;
}

/** Tokens between single spaces, as they are; `_` takes a position without being a token. */
export const spaceAnalyzer: Analyzer = {
  analyze(text, sink) {
    const words = text === "" ? [] : text.split(" ");
    let start = 0;
    for (let position = 0; position < words.length; position++) {
      const word = words[position]!;
      if (word !== "_") sink.token(word, position, start, start + word.length, word);
      start += word.length + 1;
    }
    return words.length;
  },
  analyzeStored(text, sink) {
    return this.analyze(text, sink);
  },
  readWords(text, sink) {
    return this.analyze(text, { token: (word, position) => sink.word(word, position) });
  },
  wordTables: null,
  termOf: null,
  stemOf: null,
};

/** Position at which a document's next value starts, restated from the contract: a gap of 100. */
const GAP = 100;

/** What a field with these documents holds. */
export function naiveContent(field: NaiveTextField, liveDocs: DocBits | null): TextFieldContent {
  const encoder = new TextEncoder();
  const terms = new Map<string, number[][]>();
  const lengths: number[] = [];
  let liveDocCount = 0;
  let liveTokenCount = 0;
  field.forEach((values, docId) => {
    let base = 0;
    let length = 0;
    for (const value of values) {
      const words = value === "" ? [] : value.split(" ");
      words.forEach((word, position) => {
        if (word === "_") return;
        const term = hexadecimal(encoder.encode(word));
        const postings = terms.get(term) ?? [];
        terms.set(term, postings);
        if (postings.at(-1)?.[0] !== docId) postings.push([docId]);
        postings.at(-1)!.push(base + position);
        length++;
      });
      base += words.length + GAP;
    }
    lengths.push(length);
    const live = liveDocs === null || ((liveDocs[docId >>> 5]! >>> (docId & 31)) & 1) === 1;
    if (live && length > 0) {
      liveDocCount++;
      liveTokenCount += length;
    }
  });
  // Two hexadecimal digits per byte keep the order of the bytes.
  const sorted = [...terms.keys()].sort();
  return {
    terms: sorted.map((term) => ({ term, postings: terms.get(term)! })),
    lengths,
    liveDocCount,
    liveTokenCount,
  };
}

/** What a reader says that its field holds, walked block by block. */
export function contentOf(reader: FieldTermsReader): TextFieldContent {
  const terms: TextFieldContent["terms"][number][] = [];
  for (let ordinal = 0; ordinal < reader.termCount; ordinal++) {
    const cursor = reader.postings(ordinal);
    const postings: number[][] = [];
    for (let block = 0; block < cursor.blockCount; block++) {
      cursor.loadBlock(block);
      cursor.loadFreqs();
      for (let i = 0; i < cursor.length; i++) {
        const positions = new Uint32Array(cursor.freqs[i]!);
        cursor.positions(i, positions);
        postings.push([cursor.docs[i]!, ...positions]);
      }
    }
    terms.push({ term: hexadecimal(reader.termBytes(ordinal)), postings });
  }
  return {
    terms,
    lengths: Array.from({ length: reader.maxDoc }, (_, docId) => reader.lengthOf(docId)),
    liveDocCount: reader.liveDocCount,
    liveTokenCount: reader.liveTokenCount,
  };
}

function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** How a random field looks. */
export interface NaiveTextFieldShape {
  readonly seed: number;
  readonly docCount: number;
  readonly vocabulary: readonly string[];
  /** Words per value at most. */
  readonly wordsMax: number;
  /** Tokens of one word in one document, 0 for none. */
  readonly hugeFreq: number;
}

/**
 * A random field: the first words of the vocabulary are in nearly all documents, each later one in
 * about a third fewer; some documents are empty, some have several values, empty ones among them.
 */
export function naiveTextField(shape: NaiveTextFieldShape): NaiveTextField {
  const random = randomNumbers(shape.seed);
  const field: string[][] = [];
  for (let docId = 0; docId < shape.docCount; docId++) {
    const values: string[] = [];
    const valueCount = random() < 0.15 ? 0 : random() < 0.8 ? 1 : 3;
    for (let value = 0; value < valueCount; value++) {
      const words: string[] = [];
      const wordCount = Math.floor(random() * (shape.wordsMax + 1));
      for (let word = 0; word < wordCount; word++) {
        const index = Math.floor(Math.log(1 - random()) / Math.log(2 / 3));
        words.push(random() < 0.05 ? "_" : shape.vocabulary[index % shape.vocabulary.length]!);
      }
      values.push(words.join(" "));
    }
    field.push(values);
  }
  if (shape.hugeFreq > 0 && shape.docCount > 0) {
    const word = shape.vocabulary[0]!;
    field[Math.floor(random() * shape.docCount)] = [new Array<string>(shape.hugeFreq).fill(word).join(" ")];
  }
  return field;
}

/** Numbers in [0, 1), the same for the same seed (Mulberry32, T. Ettinger). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** Each of `size` bits 1 with the given probability. */
export function randomBits(seed: number, size: number, probability: number): DocBits {
  const random = randomNumbers(seed);
  const bits = new Uint32Array((size + 31) >>> 5);
  for (let index = 0; index < size; index++) {
    if (random() < probability) bits[index >>> 5]! |= 1 << (index & 31);
  }
  return bits;
}
