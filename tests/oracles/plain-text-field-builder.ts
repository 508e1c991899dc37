import { type Analyzer, POSITION_GAP } from "../../src/analysis/analyzer.js";
import { WORD_BYTES, type WordSink } from "../../src/analysis/word-sink.js";
import { GrowableU32 } from "../../src/engine/bytes/growable-u32.js";
import { POSITION_MAX } from "../../src/engine/indexer/text-field-builder.js";
import { DocumentLengths } from "../../src/engine/segment/field-norms/document-lengths.js";
import type { SectionSink } from "../../src/engine/segment/sections.js";
import type { SlicedWork } from "../../src/engine/segment/sliced-work.js";
import { FindlingError } from "../../src/errors/index.js";
import { sortSymbolStrings } from "./sort-symbol-strings.js";
import { TermTable } from "./term-table.js";
import { TokenStream } from "./token-stream.js";
import { type TermReceiver, writeFieldTerms } from "./write-field-terms.js";

/** A stream entry with this bit is no term but the position of the next token. */
const JUMP = 0x8000_0000;

/** Tokens handed over as postings between two pauses. */
const TOKENS_PER_STEP = 16_384;

/**
 * A range of terms with this part of all tokens is sorted at a time, or one term. Sorting all of them
 * at once would take two words of memory per token, and scatter them far beyond the processor's cache.
 */
const PASSES = 2;
const TOKENS_PER_PASS_MIN = 1 << 16;

/** In place of a term's place: the term has been handed over. */
const DONE = 0xffff_ffff;

/** Estimates of what `write` makes: bytes of postings and positions per token, and what a term takes in the dictionary and while terms are sorted backward. */
const WRITTEN_BYTES_PER_TOKEN = 3;
const WRITTEN_BYTES_PER_TERM = 90;

/**
 * Inverts in plain TypeScript, for the tests of kernels to compare with. Each token appends its word's number to one
 * stream; a position is stored only where it isn't the one after the token before. At `write` one counting sort by term
 * turns the stream into posting lists, so there are no buffers per term to grow.
 */
export class PlainTextFieldBuilder implements WordSink {
  readonly hashFactor: number;
  readonly wordBytes: Uint8Array = new Uint8Array(WORD_BYTES);
  readonly #analyzer: Analyzer;
  readonly #tokensPerPassMin: number;
  readonly #words: TermTable = new TermTable();
  /** Stems, if there are any, then words as they are indexed: in the order of their bytes. */
  readonly #written: readonly TermsOfWords[];
  readonly #stream: TokenStream = new TokenStream();
  /** Documents with tokens, and where each one's tokens start in the stream. */
  readonly #docs = new GrowableU32();
  readonly #docStarts = new GrowableU32();
  readonly #lengths = new DocumentLengths();
  #positionBase = 0;
  #nextPosition = 0;
  #tokenCount = 0;

  /** @param tokensPerPassMin what `write` sorts at a time if all tokens are few */
  constructor(analyzer: Analyzer, tokensPerPassMin: number = TOKENS_PER_PASS_MIN) {
    this.#analyzer = analyzer;
    this.#tokensPerPassMin = tokensPerPassMin;
    const words =
      analyzer.termOf === null
        ? { table: this.#words, termOf: null, termOfWord: null }
        : { table: new TermTable(), termOf: analyzer.termOf, termOfWord: new GrowableU32() };
    const { stemOf } = analyzer;
    this.#written =
      stemOf === null
        ? [words]
        : [{ table: new TermTable(), termOf: stemOf, termOfWord: new GrowableU32() }, words];
    this.hashFactor = this.#words.hashFactor;
  }

  get bytesUsed(): number {
    let numbers = this.#docs.array.length + this.#docStarts.array.length;
    let tables = this.#words.bytesUsed;
    let written = 8 * Math.min(this.#tokenCount, this.#tokensPerPass);
    for (const { table, termOfWord } of this.#written) {
      numbers += termOfWord?.array.length ?? 0;
      tables += table === this.#words ? 0 : table.bytesUsed;
      written += WRITTEN_BYTES_PER_TOKEN * this.#tokenCount + WRITTEN_BYTES_PER_TERM * table.termCount;
    }
    return tables + this.#stream.bytesUsed + 4 * numbers + this.#lengths.bytesUsed + written;
  }

  addValue(docId: number, text: string, positionBase: number): number {
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
    this.#lengths.add(docId, this.#tokenCount - before, this.#nextPosition - 1);
    return positionBase + positions + POSITION_GAP;
  }

  /** For the analyzer. */
  asciiWord(length: number, hash: number, position: number): void {
    this.#addToken(this.#named(this.#words.numberOfBytes(this.wordBytes, length, hash)), position);
  }

  /** For the analyzer. */
  word(word: string, position: number): void {
    this.#addToken(this.#named(this.#words.numberOf(word)), position);
  }

  reserve(): void {}

  *write(sink: SectionSink, prefix: string, maxDoc: number): SlicedWork {
    if (this.#tokenCount === 0) return;
    yield* writeFieldTerms(sink, prefix, maxDoc, {
      lengths: this.#lengths.lengths(maxDoc),
      positionWidths: this.#lengths.positionWidths(maxDoc),
      sendTerms: (receiver) => this.#sendTerms(receiver),
    });
  }

  #addToken(word: number, position: number): void {
    const stream = this.#stream;
    const absolute = this.#positionBase + position;
    if (absolute !== this.#nextPosition) stream.push(JUMP | absolute);
    this.#nextPosition = absolute + 1;
    stream.push(word);
    this.#tokenCount++;
  }

  /** A word just numbered, its terms being named the first time. */
  #named(word: number): number {
    for (const { table, termOf, termOfWord } of this.#written) {
      if (termOfWord === null || word < termOfWord.length) continue;
      const term = termOf!(this.#words.textOf(word));
      termOfWord.push(term === null ? DONE : table.numberOf(term));
    }
    return word;
  }

  get #tokensPerPass(): number {
    return Math.max(this.#tokensPerPassMin, Math.ceil(this.#tokenCount / PASSES));
  }

  *#sendTerms(receiver: TermReceiver): SlicedWork {
    for (const terms of this.#written) yield* this.#sendTermsOf(terms, receiver);
  }

  *#sendTermsOf({ table, termOfWord }: TermsOfWords, receiver: TermReceiver): SlicedWork {
    const { bytes, offsets, termCount } = table;
    const order = new Uint32Array(termCount);
    for (let term = 0; term < termCount; term++) order[term] = term;
    sortSymbolStrings(order, bytes, offsets);
    const numbers = termOfWord?.toSection() ?? null;
    const { places, tokenCount } = yield* this.#placesOf(order, numbers);

    const tokensPerPass = this.#tokensPerPass;
    // Each turn sorts and hands over the tokens of the terms from rank `from` to rank `to - 1`.
    let sorted = new SortedTokens(0);
    for (let from = 0; from < termCount; ) {
      const first = places[order[from]!]!;
      let to = from + 1;
      while (to < termCount && places[order[to]!]! - first < tokensPerPass) to++;
      // A range ends where the next term begins; one more term than fits is left to the next range.
      if (to < termCount && to - from > 1) to--;
      const end = to < termCount ? places[order[to]!]! : tokenCount;
      if (sorted.docs.length < end - first) sorted = new SortedTokens(end - first);
      yield* this.#scatter({ places, numbers }, first, end, sorted);
      yield* sendRange(receiver, sorted, first, places, order.subarray(from, to), bytes, offsets);
      for (let rank = from; rank < to; rank++) places[order[rank]!] = DONE;
      from = to;
    }
  }

  /** By term: the first of its places among all tokens that have one, sorted by term in the given order. */
  *#placesOf(
    order: Uint32Array,
    numbers: Uint32Array | null,
  ): SlicedWork<{ readonly places: Uint32Array; readonly tokenCount: number }> {
    const stream = this.#stream;
    const counts = new Uint32Array(order.length);
    for (let piece = 0; piece < stream.pieces.length; piece++) {
      const entries = stream.pieces[piece]!;
      const length = stream.lengthOf(piece);
      for (let i = 0; i < length; i++) {
        const entry = entries[i]!;
        if (entry >= JUMP) continue;
        const term = numbers === null ? entry : numbers[entry]!;
        if (term !== DONE) counts[term]!++;
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
    return { places: counts, tokenCount: sum };
  }

  /** Writes doc ids and positions of the tokens placed from `first` to `end - 1`. Moves their terms' places to their ends. */
  *#scatter(
    { places, numbers }: { readonly places: Uint32Array; readonly numbers: Uint32Array | null },
    first: number,
    end: number,
    sorted: SortedTokens,
  ): SlicedWork {
    const stream = this.#stream;
    const docs = this.#docs.array;
    const docStarts = this.#docStarts.array;
    const docCount = this.#docs.length;
    let doc = -1;
    let nextStart = 0;
    let docId = 0;
    let position = 0;
    let at = 0;
    for (let piece = 0; piece < stream.pieces.length; piece++) {
      const entries = stream.pieces[piece]!;
      const length = stream.lengthOf(piece);
      for (let i = 0; i < length; i++, at++) {
        // Documents without tokens start where the next one does.
        while (at === nextStart) {
          docId = docs[++doc]!;
          nextStart = doc + 1 < docCount ? docStarts[doc + 1]! : DONE;
          position = 0;
        }
        const entry = entries[i]!;
        if (entry >= JUMP) {
          position = entry & POSITION_MAX;
          continue;
        }
        const term = numbers === null ? entry : numbers[entry]!;
        const place = term === DONE ? DONE : places[term]!;
        if (place >= first && place < end) {
          places[term] = place + 1;
          sorted.docs[place - first] = docId;
          sorted.positions[place - first] = position;
        }
        position++;
      }
      yield;
    }
  }
}

/** Terms that words stand for. */
interface TermsOfWords {
  readonly table: TermTable;
  /** Null, as the numbers are: words are terms. */
  readonly termOf: ((word: string) => string | null) | null;
  /** By word its term's number; `DONE`: it has none. */
  readonly termOfWord: GrowableU32 | null;
}

/** Doc ids and positions of tokens, sorted by term. */
class SortedTokens {
  readonly docs: Uint32Array;
  readonly positions: Uint32Array;

  constructor(count: number) {
    this.docs = new Uint32Array(count);
    this.positions = new Uint32Array(count);
  }
}

/** Hands over the terms of a range, in order; `ends` says where each one's tokens end, counted from `first`. */
function* sendRange(
  receiver: TermReceiver,
  { docs, positions }: SortedTokens,
  first: number,
  ends: Uint32Array,
  terms: Uint32Array,
  bytes: Uint8Array,
  offsets: Uint32Array,
): SlicedWork {
  let at = 0;
  let stepEnd = TOKENS_PER_STEP;
  for (let i = 0; i < terms.length; i++) {
    const term = terms[i]!;
    receiver.startTerm(bytes, offsets[term]!, offsets[term + 1]!);
    const end = ends[term]! - first;
    while (at < end) {
      const docId = docs[at]!;
      const from = at;
      do at++;
      while (at < end && docs[at] === docId);
      receiver.addPosting(docId, at - from, positions, from);
      if (at >= stepEnd) {
        stepEnd = at + TOKENS_PER_STEP;
        yield;
      }
    }
    receiver.endTerm();
  }
}
