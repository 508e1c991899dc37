import { type Analyzer, POSITION_GAP } from "../../analysis/analyzer.js";
import { WORD_BYTES, type WordSink } from "../../analysis/word-sink.js";
import { FindlingError } from "../../errors/index.js";
import type { SectionSink } from "../segment/sections.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import { GrowableU32 } from "../segment/terms/growable-u32.js";
import { sortSymbolStrings } from "../segment/terms/sort-symbol-strings.js";
import { type TermReceiver, writeFieldTerms } from "../segment/terms/write-field-terms.js";
import { TermTable } from "./term-table.js";

/** A stream entry with this bit is no term but the position of the next token. */
const JUMP = 0x8000_0000;
const POSITION_MAX = 0x7fff_ffff;

/** Tokens sorted, or handed over as postings, between two pauses. */
const TOKENS_PER_STEP = 16_384;
/** Tokens counted between two pauses: that is quicker. */
const COUNTED_PER_STEP = 1 << 18;

/**
 * Inverts one text field in memory. Each token appends its term's number to one stream; a position is
 * stored only where it isn't the one after the token before. At `write` one counting sort by term
 * turns the stream into posting lists, so there are no buffers per term to grow.
 */
export class TextFieldBuilder implements WordSink {
  readonly hashFactor: number;
  readonly wordBytes: Uint8Array = new Uint8Array(WORD_BYTES);
  readonly #analyzer: Analyzer;
  readonly #terms: TermTable = new TermTable();
  /** Distinct words, the terms themselves if words are indexed as they are. */
  readonly #words: TermTable;
  /** By word: its term's number, if words aren't indexed as they are. */
  readonly #termOfWord = new GrowableU32();
  readonly #stream = new GrowableU32(1024);
  /** Documents with tokens, and where each one's tokens start in the stream. */
  readonly #docs = new GrowableU32();
  readonly #docStarts = new GrowableU32();
  /** Tokens per doc id, up to the last document with a value. */
  readonly #lengths = new GrowableU32();
  #positionBase = 0;
  #nextPosition = 0;
  #tokenCount = 0;

  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer;
    this.#words = analyzer.termOf === null ? this.#terms : new TermTable();
    this.hashFactor = this.#words.hashFactor;
  }

  /** Memory in bytes. `write` needs about three times as much for as long as it runs. */
  get bytesUsed(): number {
    const words =
      this.#stream.array.length +
      this.#docs.array.length +
      this.#docStarts.array.length +
      this.#lengths.array.length +
      this.#termOfWord.array.length;
    const tables = this.#terms.bytesUsed + (this.#words === this.#terms ? 0 : this.#words.bytesUsed);
    return tables + 4 * words;
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
    const lengths = this.#lengths;
    if (lengths.length <= docId) {
      // New entries are 0 already.
      lengths.reserve(docId + 1 - lengths.length);
      lengths.length = docId + 1;
    }
    const docs = this.#docs;
    if (docs.length === 0 || docs.array[docs.length - 1] !== docId) {
      docs.push(docId);
      this.#docStarts.push(this.#stream.length);
      this.#nextPosition = 0;
    }
    // A value has at most one position per UTF-16 unit.
    if (positionBase + text.length > POSITION_MAX - POSITION_GAP) {
      throw new FindlingError(
        "invalid_document",
        "a text field takes more than 2^31 positions in one document; split the document",
      );
    }
    this.#positionBase = positionBase;
    const before = this.#tokenCount;
    const positions = this.#analyzer.readWords(text, this);
    lengths.array[docId]! += this.#tokenCount - before;
    return positionBase + positions + POSITION_GAP;
  }

  /** For the analyzer. */
  asciiWord(length: number, hash: number, position: number): void {
    this.#addToken(this.#termOf(this.#words.numberOfBytes(this.wordBytes, length, hash)), position);
  }

  /** For the analyzer. */
  word(word: string, position: number): void {
    this.#addToken(this.#termOf(this.#words.numberOf(word)), position);
  }

  /**
   * Writes the field's sections, or nothing if there was no token. Changes nothing: after a failure to
   * store them the builder can go on.
   *
   * @param maxDoc greater than every doc id added
   */
  *write(sink: SectionSink, prefix: string, maxDoc: number): SlicedWork {
    if (this.#tokenCount === 0) return;
    if (this.#lengths.length < maxDoc) this.#lengths.reserve(maxDoc - this.#lengths.length);
    const lengths = this.#lengths.array;
    yield* writeFieldTerms(sink, prefix, maxDoc, {
      lengths,
      sendTerms: (receiver) => this.#sendTerms(receiver),
    });
  }

  #addToken(term: number, position: number): void {
    const stream = this.#stream;
    const absolute = this.#positionBase + position;
    if (absolute !== this.#nextPosition) stream.push(JUMP | absolute);
    this.#nextPosition = absolute + 1;
    stream.push(term);
    this.#tokenCount++;
  }

  /** For a word just numbered. */
  #termOf(word: number): number {
    if (this.#words === this.#terms) return word;
    const termOfWord = this.#termOfWord;
    if (word === termOfWord.length)
      termOfWord.push(this.#terms.numberOf(this.#analyzer.termOf!(this.#words.textOf(word))));
    return termOfWord.array[word]!;
  }

  *#sendTerms(receiver: TermReceiver): SlicedWork {
    const { bytes, offsets, termCount } = this.#terms;
    const order = new Uint32Array(termCount);
    for (let term = 0; term < termCount; term++) order[term] = term;
    yield* sortSymbolStrings(order, bytes, offsets);

    const ends = yield* this.#countTokens(order);
    const occurrences = new Uint32Array(2 * this.#tokenCount);
    yield* this.#scatter(ends, occurrences);

    const positions = new GrowableU32();
    let at = 0;
    let stepEnd = 2 * TOKENS_PER_STEP;
    for (let rank = 0; rank < order.length; rank++) {
      const term = order[rank]!;
      receiver.startTerm(bytes, offsets[term]!, offsets[term + 1]!);
      const end = 2 * ends[term]!;
      while (at < end) {
        const docId = occurrences[at]!;
        positions.length = 0;
        do {
          positions.push(occurrences[at + 1]!);
          at += 2;
        } while (at < end && occurrences[at] === docId);
        receiver.addPosting(docId, positions.length, positions.array, 0);
        if (at >= stepEnd) {
          stepEnd = at + 2 * TOKENS_PER_STEP;
          yield;
        }
      }
      receiver.endTerm();
    }
  }

  /** By term: the first of its places among all occurrences, sorted by term in the given order. */
  *#countTokens(order: Uint32Array): SlicedWork<Uint32Array> {
    const stream = this.#stream.array;
    const counts = new Uint32Array(order.length);
    for (let i = 0; i < this.#stream.length; ) {
      const stepEnd = Math.min(i + COUNTED_PER_STEP, this.#stream.length);
      for (; i < stepEnd; i++) {
        const entry = stream[i]!;
        if (entry < JUMP) counts[entry]!++;
      }
      yield;
    }
    let sum = 0;
    for (let rank = 0; rank < order.length; rank++) {
      const term = order[rank]!;
      const count = counts[term]!;
      counts[term] = sum;
      sum += count;
    }
    return counts;
  }

  /** Writes (doc id, position) pairs to their terms' places. Moves every term's start to its end. */
  *#scatter(starts: Uint32Array, occurrences: Uint32Array): SlicedWork {
    const stream = this.#stream.array;
    const docs = this.#docs.array;
    const docStarts = this.#docStarts.array;
    let stepEnd = TOKENS_PER_STEP;
    for (let doc = 0; doc < this.#docs.length; doc++) {
      const docId = docs[doc]!;
      const end = doc + 1 < this.#docs.length ? docStarts[doc + 1]! : this.#stream.length;
      let position = 0;
      for (let i = docStarts[doc]!; i < end; i++) {
        const entry = stream[i]!;
        if (entry >= JUMP) {
          position = entry & POSITION_MAX;
          continue;
        }
        const place = 2 * starts[entry]!++;
        occurrences[place] = docId;
        occurrences[place + 1] = position++;
      }
      if (end >= stepEnd) {
        stepEnd = end + TOKENS_PER_STEP;
        yield;
      }
    }
  }
}
