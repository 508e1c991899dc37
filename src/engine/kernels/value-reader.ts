import type { BuildingMemory } from "./building-memory.js";

/** How much JSON is placed at a time; longer documents aren't read here. */
const WINDOW_BYTES = 1 << 16;
const DOCUMENTS_MAX = 64;
const RECORDS_BYTES = 1 << 14;
/** Bytes that kernels may read and overwrite behind what they are given and what they write. */
const MARGIN = 32;
/** What an address and a length take. */
const PLACE_BYTES = 8;

/** Words of the kernels' `Field`. */
const FIELD_WORDS = 5;
/** What it wants of a field. */
const TEXT = 1;
const VALUE = 2;

/** Words of the kernels' `Reading`. */
const FIELDS = 0;
const FIELDS_END = 1;
const PLACES = 2;
const PLACES_END = 3;
const DOC = 4;
const AT = 5;
const FIELD = 7;
const BASE = 9;
const GAP = 10;
const RECORD = 11;
const RECORDS_END = 12;
const VALUE_START = 13;
const VALUE_END = 14;
const READING_WORDS = 15;

/** Words of a text's record in front of its beginning, and of another value's. */
const TEXT_RECORD_WORDS = 8;
const BEGINNING_BYTES = 64;
const VALUE_RECORD_WORDS = 4;
/** In place of a beginning's length: it has more than ASCII. */
const NOT_KNOWN = 0xffff_ffff;

/** Why `ValueReader.read` stops. */
export type ReadingStop = "done" | "full" | "unusual";
const STOPS: readonly ReadingStop[] = ["done", "full", "unusual"];

/** A member of documents, in the order in which their JSON has them. */
export interface ReadField {
  readonly name: string;
  /** `none`: its values are passed over. */
  readonly wanted: "none" | "text" | "value";
  /** The field of `addField` where a text's words go; 0: nowhere. */
  readonly words: number;
  /** Whether it is wanted how texts begin. */
  readonly begins: boolean;
}

/**
 * What is told of values, each of field `field` of the list. Places are those of `BuildingMemory.bytes`, valid for the
 * call. Methods of a class, so that all readers call the same functions.
 */
export interface ReadValues {
  /** Words have been added, the last one at that position if there are any. */
  words(field: number, doc: number, tokens: number, lastPosition: number): void;
  /** The text's first 64 bytes in small letters: `bytes[start]` and `length - 1` more. */
  beginning(
    field: number,
    doc: number,
    units: number,
    bytes: Uint8Array,
    start: number,
    length: number,
  ): void;
  /** Takes a text, JSON with quotes, that has more than ASCII there. */
  text(field: number, doc: number, bytes: Uint8Array, start: number, end: number): void;
  /** JSON of another value, or of each in a list. */
  value(field: number, doc: number, bytes: Uint8Array, start: number, end: number): void;
}

/**
 * Reads documents' JSON by kernel where it is as `DocumentEncoder` writes it: one call for many documents in place of
 * parsing each and several calls for each value. First `place`, then `read` and `take` in turns until all is done.
 */
export class ValueReader {
  readonly #memory: BuildingMemory;
  readonly #fields: readonly ReadField[];
  readonly #reading: number;
  readonly #places: number;
  readonly #window: number;
  readonly #records: number;

  /** @param gap positions that are left free between two texts of a list */
  constructor(memory: BuildingMemory, fields: readonly ReadField[], gap: number) {
    const { functions } = memory;
    this.#memory = memory;
    this.#fields = fields;
    memory.reserveText(WINDOW_BYTES);
    this.#reading = functions.zeros(4 * READING_WORDS);
    this.#places = functions.allocate(DOCUMENTS_MAX * PLACE_BYTES);
    this.#window = functions.allocate(WINDOW_BYTES + MARGIN);
    this.#records = functions.allocate(RECORDS_BYTES + MARGIN);
    const table = functions.zeros(4 * FIELD_WORDS * fields.length);
    for (const [index, { name, wanted, words, begins }] of fields.entries()) {
      const key = new TextEncoder().encode(`${JSON.stringify(name)}:`);
      const kind = wanted === "none" ? 0 : wanted === "text" ? TEXT : VALUE;
      const entry = [memory.place(key), key.length, kind, words, begins ? 1 : 0];
      memory.words.set(entry, (table >>> 2) + FIELD_WORDS * index);
    }
    this.#set(FIELDS, table);
    this.#set(FIELDS_END, table + 4 * FIELD_WORDS * fields.length);
    this.#set(GAP, gap);
    this.#set(RECORD, this.#records);
    this.#set(RECORDS_END, this.#records + RECORDS_BYTES);
  }

  /**
   * Places documents for `read`, all that were placed before having been read. Returns how many there was room for,
   * none if the first is too long.
   *
   * @param json with documents one behind the other, and little between them
   * @param offsets by document: where its JSON starts, something else, and where it ends
   * @param doc id of the first
   */
  place(json: Uint8Array, offsets: Uint32Array, from: number, to: number, doc: number): number {
    const start = offsets[3 * from]!;
    const countMax = Math.min(to - from, DOCUMENTS_MAX);
    const { bytes, words } = this.#memory;
    let at = this.#places >>> 2;
    let count = 0;
    let placedEnd = start;
    for (; count < countMax; count++) {
      const end = offsets[3 * (from + count) + 2]!;
      if (end - start > WINDOW_BYTES) break;
      words[at++] = this.#window + offsets[3 * (from + count)]! - start;
      words[at++] = this.#window + end - start;
      placedEnd = end;
    }
    bytes.set(json.subarray(start, placedEnd), this.#window);
    this.#set(PLACES, this.#places);
    this.#set(PLACES_END, this.#places + count * PLACE_BYTES);
    // Nothing is left of those before, even where reading them failed.
    this.#set(AT, 0);
    // It counts before it reads.
    this.#set(DOC, doc - 1);
    return count;
  }

  /**
   * Reads on. `take` comes next whether it throws or not.
   *
   * @returns `unusual` if the text at `unusual` is to be added by other means before the next call
   * @throws Error if the documents aren't what the encoder writes
   */
  read(): ReadingStop {
    const stop = STOPS[this.#memory.functions.readValues(this.#reading)];
    if (stop === undefined) throw new Error("a document isn't written as the engine writes it");
    return stop;
  }

  /** The text that kernels couldn't read, JSON with quotes, whose words begin at `base`. */
  get unusual(): {
    readonly field: number;
    readonly doc: number;
    readonly json: Uint8Array;
    readonly base: number;
  } {
    const json = this.#memory.bytes.subarray(this.#get(VALUE_START), this.#get(VALUE_END));
    const field = (this.#get(FIELD) - this.#get(FIELDS)) / (4 * FIELD_WORDS);
    return { field, doc: this.#get(DOC), json, base: this.#get(BASE) };
  }

  /** Where the next text of a list begins, once the unusual one has been added. */
  goOnAt(base: number): void {
    this.#set(BASE, base);
  }

  /** Tells what has been read since the last call, in order. */
  take(values: ReadValues): void {
    const { bytes, words } = this.#memory;
    const end = this.#get(RECORD) >>> 2;
    this.#set(RECORD, this.#records);
    for (let at = this.#records >>> 2; at < end; ) {
      const field = words[at]!;
      const doc = words[at + 1]!;
      const { wanted, words: target, begins } = this.#fields[field]!;
      if (wanted === "value") {
        values.value(field, doc, bytes, words[at + 2]!, words[at + 3]!);
        at += VALUE_RECORD_WORDS;
        continue;
      }
      if (target !== 0) values.words(field, doc, words[at + 2]!, words[at + 3]!);
      if (begins) {
        const length = words[at + 5]!;
        const beginning = 4 * (at + TEXT_RECORD_WORDS);
        if (length === NOT_KNOWN) values.text(field, doc, bytes, words[at + 6]!, words[at + 7]!);
        else values.beginning(field, doc, words[at + 4]!, bytes, beginning, length);
        at += BEGINNING_BYTES >>> 2;
      }
      at += TEXT_RECORD_WORDS;
    }
  }

  #get(word: number): number {
    return this.#memory.words[(this.#reading >>> 2) + word]!;
  }

  #set(word: number, value: number): void {
    this.#memory.words[(this.#reading >>> 2) + word] = value;
  }
}
