import { type Analyzer, POSITION_GAP } from "../../analysis/analyzer.js";
import { WORD_BYTES, type WordSink } from "../../analysis/word-sink.js";
import { FindlingError } from "../../errors/index.js";
import { bitWidth } from "../bytes/bit-packing.js";
import { decodeUtf8 } from "../bytes/byte-reader.js";
import { GrowableU32 } from "../bytes/growable-u32.js";
import type { BuildingMemory } from "../kernels/building-memory.js";
import { DocumentLengths } from "../segment/field-norms/document-lengths.js";
import { normsOf, totalLengths, writeFieldLengths } from "../segment/field-norms/field-lengths.js";
import type { SectionSink } from "../segment/sections.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import { numbered } from "../segment/strings/numbered.js";
import { sortPlaced } from "../segment/strings/sort-strings.js";
import { FieldTermsWriter } from "../segment/terms/field-terms-writer.js";

/** A stream of tokens can tell positions below this apart from words. */
export const POSITION_MAX = 0x7fff_ffff;

/** What part of all tokens is sorted at a time. */
const PASSES_MAX = 4;
/** Or about so many, at most half as many more: each pass reads all tokens. */
const TOKENS_PER_PASS = 1 << 22;
/** Ranges of terms end a little before or behind their share. */
const PASS_SLACK = 1 / 16;
/** Bits of a sorted token: its document and its position. Where they take more, it is twice as long. */
const TOKEN_BITS = 32;

/** Estimates of what `write` takes besides sorted tokens: by token, and by term. */
const WRITTEN_BYTES_PER_TOKEN = 3;
const WRITTEN_BYTES_PER_TERM = 110;

/** What `reserve` allows: for a term as it is sorted and placed, and for what postings are written to. */
const SORTED_BYTES_PER_TERM = 40;
const OUTPUT_BYTES = 1 << 20;
/** Less grows a memory by so little that V8 doesn't mind. */
const RESERVED_BYTES_MIN = 4 << 20;

/** Words of the kernels' `Words` and `Sorted`. */
const COUNT = 3;
const BYTE_COUNT = 4;
const LONGEST = 5;
const TOKEN_COUNT = 10;
const NEXT_POSITION = 12;
const TOKENS = 5;
/** Bytes of a word's entry before its own. */
const ENTRY_HEADER = 12;

/** In place of a stem's number: the word has none. In place of a term's place: nothing is wanted of it. */
const NONE = 0xffff_ffff;

/** Terms that the stream's words stand for. */
interface TermsOfWords {
  /** Address of the distinct terms. */
  readonly terms: number;
  /** By word its term's number; null: words are terms. */
  readonly termOfWord: GrowableU32 | null;
}

/**
 * Inverts one text field in memory: takes the documents' values, writes dictionary, postings and positions. The words of ASCII and of most European languages are cut, put into lower
 * case and numbered without leaving WebAssembly, all others come from the analyzer one by one.
 */
export class TextFieldBuilder implements WordSink {
  /** The kernels hash by themselves. */
  readonly hashFactor = 1;
  readonly wordBytes: Uint8Array = new Uint8Array(WORD_BYTES);
  readonly #memory: BuildingMemory;
  readonly #analyzer: Analyzer;
  readonly #tokensAtATime: number;
  /** Address of the distinct words. */
  readonly #words: number;
  /** Words as they are indexed; stems that are indexed beside them. */
  readonly #terms: TermsOfWords;
  readonly #stems: TermsOfWords | null;
  readonly #lengths = new DocumentLengths();
  #positionBase = 0;
  #nextDoc = 0;
  #positionBits = 0;

  /** @param tokensAtATime what `write` sorts at a time, about, if all tokens are few */
  constructor(memory: BuildingMemory, analyzer: Analyzer, tokensAtATime: number = TOKENS_PER_PASS) {
    this.#memory = memory;
    this.#analyzer = analyzer;
    this.#tokensAtATime = tokensAtATime;
    const { wordTables } = analyzer;
    if (wordTables !== null) memory.functions.usePossessives(wordTables.joinsPossessives ? 1 : 0);
    this.#words = memory.functions.addField();
    this.#terms =
      analyzer.termOf === null
        ? { terms: this.#words, termOfWord: null }
        : { terms: memory.functions.addField(), termOfWord: new GrowableU32() };
    this.#stems =
      analyzer.stemOf === null ? null : { terms: memory.functions.addField(), termOfWord: new GrowableU32() };
  }

  /** Memory in bytes, with what `write` will take, but for what lies in a memory that builders share. */
  get bytesUsed(): number {
    const tokenCount = this.#tokenCount;
    const sorted = this.#sortedTokenBytes(this.#nextDoc) * Math.min(tokenCount, this.#tokensPerPass);
    let written = 0;
    let numbers = 0;
    for (const { terms, termOfWord } of this.#written) {
      written += WRITTEN_BYTES_PER_TOKEN * tokenCount + WRITTEN_BYTES_PER_TERM * this.#read(terms, COUNT);
      numbers += termOfWord === null ? 0 : 4 * termOfWord.array.length;
    }
    return numbers + this.#lengths.bytesUsed + sorted + written;
  }

  /**
   * Adds a value's tokens. Documents come in ascending order, the values of one document one after the
   * other.
   *
   * @param positionBase 0 for a document's first value, then what the call before returned
   * @returns where the document's next value starts: a gap behind this one
   * @throws FindlingError `invalid_document` if the document's values take more than 2^31 positions
   */
  addValue(docId: number, text: string, positionBase: number): number {
    // A value has at most one position per UTF-16 unit.
    if (positionBase + text.length > POSITION_MAX - POSITION_GAP) {
      throw new FindlingError(
        "invalid_document",
        "a text field takes more than 2^31 positions in one document; split the document",
      );
    }
    const before = this.#tokenCount;
    this.#memory.functions.beginValue(this.#words, docId);
    const positions = this.#addWords(text, positionBase);
    const tokens = this.#tokenCount - before;
    const lastPosition = this.#read(this.#words, NEXT_POSITION) - 1;
    this.#lengths.add(docId, tokens, lastPosition);
    if (tokens > 0) this.#positionBits = Math.max(this.#positionBits, bitWidth(lastPosition));
    this.#nextDoc = docId + 1;
    if (this.#terms.termOfWord !== null || this.#stems !== null) this.#nameTerms();
    return positionBase + positions + POSITION_GAP;
  }

  /** For the analyzer. */
  asciiWord(length: number, _hash: number, position: number): void {
    const memory = this.#memory;
    memory.writeTextBytes(this.wordBytes, length);
    memory.functions.addWord(this.#words, memory.textAddress, length, this.#positionBase + position);
  }

  /** For the analyzer. */
  word(word: string, position: number): void {
    const memory = this.#memory;
    const length = memory.writeText(word);
    memory.functions.addWord(this.#words, memory.textAddress, length, this.#positionBase + position);
  }

  /** Takes the memory that `write` is about to want at once: growing it is a reason to collect garbage each time. */
  reserve(): void {
    const { functions } = this.#memory;
    const tokens = this.#sortedTokenBytes(this.#nextDoc) * Math.min(this.#tokenCount, this.#tokensPerPass);
    let terms = 0;
    for (const { terms: at } of this.#written)
      terms = Math.max(terms, this.#read(at, BYTE_COUNT) + SORTED_BYTES_PER_TERM * this.#read(at, COUNT));
    if (tokens + terms < RESERVED_BYTES_MIN) return;
    const top = functions.heapTop();
    functions.allocate(tokens + terms + OUTPUT_BYTES);
    functions.releaseTo(top);
  }

  /**
   * Writes the field's sections, or nothing if there was no token. Changes nothing: after a failure to
   * store them the builder can go on.
   *
   * @param maxDoc greater than every doc id added
   */
  *write(sink: SectionSink, prefix: string, maxDoc: number): SlicedWork {
    if (this.#tokenCount === 0) return;
    const { functions } = this.#memory;
    const top = functions.heapTop();
    try {
      const lengths = this.#lengths.lengths(maxDoc);
      const totals = totalLengths(lengths, maxDoc);
      const norms = normsOf(lengths, maxDoc);
      yield;
      const postings = new FieldTermsWriter(this.#memory, {
        maxDoc,
        norms,
        positionWidths: this.#lengths.positionWidths(maxDoc).slice(0, maxDoc),
        averageLength: totals.averageLength,
        lengthMax: totals.longest,
        termLengthMax: Math.max(...this.#written.map(({ terms }) => this.#read(terms, LONGEST))),
      });
      const written = functions.heapTop();
      for (const terms of this.#written) {
        yield* this.#writePostings(terms, postings, maxDoc);
        functions.releaseTo(written);
      }
      // What is written from here on lies in buffers, and is folded where tokens have been sorted.
      functions.releaseTo(top);
      yield* postings.write(sink, prefix);
      writeFieldLengths(sink, prefix, lengths, norms, totals);
    } finally {
      functions.releaseTo(top);
    }
  }

  get #tokenCount(): number {
    return this.#read(this.#words, TOKEN_COUNT);
  }

  /** What is written, in the order of the terms' bytes: stems come before all words. */
  get #written(): readonly TermsOfWords[] {
    return this.#stems === null ? [this.#terms] : [this.#stems, this.#terms];
  }

  get #tokensPerPass(): number {
    const tokens = this.#tokenCount;
    const passes = Math.min(PASSES_MAX, Math.round(tokens / this.#tokensAtATime));
    return passes <= 1 ? tokens : Math.ceil((tokens / passes) * (1 + PASS_SLACK));
  }

  /** The bytes of a sorted token, where there are so many documents. */
  #sortedTokenBytes(maxDoc: number): number {
    return bitWidth(maxDoc - 1) + this.#positionBits <= TOKEN_BITS ? 4 : 8;
  }

  #read(field: number, word: number): number {
    return this.#memory.words[(field >>> 2) + word]!;
  }

  /** Returns how many positions the text took. */
  #addWords(text: string, positionBase: number): number {
    const memory = this.#memory;
    const { wordTables } = this.#analyzer;
    if (wordTables !== null) {
      let positions = memory.functions.addText(this.#words, memory.writeText(text), positionBase);
      if (positions < 0 && memory.useTables(wordTables.create))
        positions = memory.functions.addText(this.#words, memory.writeText(text), positionBase);
      if (positions >= 0) return positions;
    }
    this.#positionBase = positionBase;
    return this.#analyzer.readWords(text, this);
  }

  /** Asks for the terms of words that are new. */
  #nameTerms(): void {
    const memory = this.#memory;
    const { functions } = memory;
    for (;;) {
      const entry = functions.nextNewWord(this.#words);
      if (entry === 0) return;
      const length = this.#read(entry, 1);
      const word = decodeUtf8(memory.bytes.subarray(entry + ENTRY_HEADER, entry + ENTRY_HEADER + length));
      this.#nameTerm(this.#terms, this.#analyzer.termOf, word);
      if (this.#stems !== null) this.#nameTerm(this.#stems, this.#analyzer.stemOf, word);
    }
  }

  #nameTerm(
    { terms, termOfWord }: TermsOfWords,
    termOf: ((word: string) => string | null) | null,
    word: string,
  ): void {
    if (termOfWord === null) return;
    const term = termOf!(word);
    const memory = this.#memory;
    termOfWord.push(
      term === null ? NONE : memory.functions.numberOf(terms, memory.textAddress, memory.writeText(term)),
    );
  }

  *#writePostings(
    { terms, termOfWord }: TermsOfWords,
    postings: FieldTermsWriter,
    maxDoc: number,
  ): SlicedWork {
    const memory = this.#memory;
    const { functions } = memory;
    const termCount = this.#read(terms, COUNT);
    if (termCount === 0) return;
    const bytes = functions.allocate(this.#read(terms, BYTE_COUNT) + 8);
    const starts = functions.allocate(4 * (termCount + 1));
    const order = memory.place(numbered(termCount));
    // One more, of what has no term.
    const places = functions.zeros(4 * (termCount + 1));
    const numbers = termOfWord === null ? 0 : memory.place(withoutNone(termOfWord.toSection(), termCount));
    const sorted = functions.newSorted();
    functions.layWords(terms, bytes, starts);
    yield;
    const placed = { orderAt: order, symbolsAt: bytes, startsAt: starts, isWide: false };
    yield* sortPlaced(memory, { ...placed, bytesMax: this.#read(terms, LONGEST) }, termCount);
    const tokenBytes = this.#sortedTokenBytes(maxDoc);
    const positionBits = tokenBytes === 8 ? TOKEN_BITS : this.#positionBits;
    const tokens = functions.allocate(tokenBytes * Math.min(this.#tokenCount, this.#tokensPerPass));
    memory.words.set([numbers, order, starts, bytes, places, tokens, positionBits], sorted >>> 2);

    functions.placeTerms(sorted, this.#words, termCount);
    const unwanted = (places >>> 2) + termCount;
    const tokenCount = this.#tokenCount - memory.words[unwanted]!;
    memory.words[unwanted] = NONE;
    yield;
    for (;;) {
      const count = functions.nextRange(sorted, termCount, tokenCount, this.#tokensPerPass);
      if (count === 0) return;
      if (count > this.#tokensPerPass)
        memory.words[(sorted >>> 2) + TOKENS] = functions.allocate(tokenBytes * count);
      functions.beginStream(sorted, this.#words);
      while (functions.scatterPiece(sorted) !== 0) yield;
      yield* postings.writeRange(sorted);
    }
  }
}

/** Numbers of terms, what has none being behind the last. */
function withoutNone(termOfWord: Uint32Array, termCount: number): Uint32Array {
  return termOfWord.map((term) => (term === NONE ? termCount : term));
}
