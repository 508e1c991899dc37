import { POSITION_GAP } from "../../analysis/analyzer.js";
import { decodeUtf8 } from "../bytes/byte-reader.js";
import type { BuildingMemory } from "../kernels/building-memory.js";
import { type ReadField, type ReadingStop, type ReadValues, ValueReader } from "../kernels/value-reader.js";
import type { CanonicalDocument } from "../schema/document.js";
import type { EncodedDocuments } from "./encoded-documents.js";
import type { FieldWriters } from "./field-writers.js";
import { JsonSortBytes } from "./json-sort-bytes.js";
import { TextFieldBuilder } from "./text-field-builder.js";

/** Fewer documents aren't worth the reader's memory. */
const DOCUMENTS_MIN = 4;
/** After documents most of which have texts that kernels can't read, so many times as many go one by one. */
const PASSED_OVER = 15;

/**
 * Adds documents to their fields' writers from their JSON, by kernel, without making values of it. First `place`, then
 * `read`.
 */
export class JsonFields implements ReadValues {
  readonly #memory: BuildingMemory;
  /** In the order of their members. */
  readonly #fields: readonly FieldWriters[];
  readonly #terms: readonly (TextFieldBuilder | null)[];
  readonly #sortBytes = new JsonSortBytes();
  /** Made when it is wanted first. */
  #reader: ValueReader | null = null;
  /** Documents that are to be added one by one. */
  #passedOver = 0;
  /** Those that have been placed, if they are at hand, and what the first has become. */
  #documents: readonly CanonicalDocument[] | null = null;
  #firstDoc = 0;
  /** By field, the document that the last label was of, and where the words of its next one begin. */
  readonly #lastLabels: { doc: number; end: number }[] = [];
  /** Labels that have been read, whose words are to be added: the kernel reads a value either for its words or as a whole. */
  #labels: { readonly field: number; readonly doc: number; readonly text: string }[] = [];

  /** Null where kernels can't cut the words of these fields. */
  static of(memory: BuildingMemory, fields: readonly FieldWriters[]): JsonFields | null {
    const stored = fields.filter(({ field }) => field.stored);
    const ordered = [...stored, ...fields.filter(({ field }) => !field.stored)];
    const terms: (TextFieldBuilder | null)[] = [];
    for (const { terms: inverter } of ordered) {
      if (inverter?.readWords === 0) return null;
      terms.push(inverter);
    }
    return new JsonFields(memory, ordered, terms);
  }

  private constructor(
    memory: BuildingMemory,
    fields: readonly FieldWriters[],
    terms: readonly (TextFieldBuilder | null)[],
  ) {
    this.#memory = memory;
    this.#fields = fields;
    this.#terms = terms;
  }

  /**
   * Places documents for `read`, from `from` on and at most up to `to`; returns how many, none if these are to be added
   * one by one.
   *
   * @param doc what the first of them becomes
   */
  place({ json, offsets, documents }: EncodedDocuments, from: number, to: number, doc: number): number {
    if (this.#passedOver > 0) {
      this.#passedOver--;
      return 0;
    }
    if (this.#reader === null) {
      if (to - from < DOCUMENTS_MIN) return 0;
      this.#reader = new ValueReader(this.#memory, this.#fields.map(toRead), POSITION_GAP);
    }
    const count = this.#reader.place(json, offsets, from, to, doc);
    if (documents !== undefined) this.#documents = documents.slice(from, from + count);
    this.#firstDoc = doc;
    return count;
  }

  /** Adds the documents that have been placed, so many. */
  read(count: number): void {
    try {
      const unusual = this.#read(this.#reader!);
      if (2 * unusual > count) this.#passedOver = PASSED_OVER * count;
    } finally {
      this.#documents = null;
    }
  }

  /** Returns how many texts kernels couldn't read. */
  #read(reader: ValueReader): number {
    let unusual = 0;
    for (;;) {
      const stop = this.#readOn(reader);
      this.#addLabels();
      for (let i = 0; i < this.#terms.length; i++) this.#terms[i]?.nameTerms();
      if (stop === "done") return unusual;
      if (stop === "full") continue;
      this.#addUnusual(reader);
      unusual++;
    }
  }

  #readOn(reader: ValueReader): ReadingStop {
    try {
      return reader.read();
    } finally {
      // Words that are there have their lengths, whatever happens.
      reader.take(this);
    }
  }

  /** For the reader, as those that follow. */
  words(field: number, doc: number, tokens: number, lastPosition: number): void {
    this.#terms[field]!.noteValue(doc, tokens, lastPosition);
  }

  beginning(
    field: number,
    doc: number,
    units: number,
    bytes: Uint8Array,
    start: number,
    length: number,
  ): void {
    this.#fields[field]!.order!.addPrefix(doc, units, bytes, start, length);
  }

  text(field: number, doc: number, bytes: Uint8Array, start: number, end: number): void {
    this.#fields[field]!.order!.add(doc, this.#textOf(field, doc, bytes.subarray(start, end)));
  }

  value(index: number, doc: number, bytes: Uint8Array, start: number, end: number): void {
    const { field, column } = this.#fields[index]!;
    const length = this.#sortBytes.write(field, bytes, start, end);
    column!.addValue(doc, this.#sortBytes.bytes, length);
    if (this.#terms[index] !== null)
      this.#labels.push({
        field: index,
        doc,
        text: JSON.parse(decodeUtf8(bytes.subarray(start, end))) as string,
      });
  }

  /** Adds the labels' words, which may take the memory that was being read. */
  #addLabels(): void {
    if (this.#labels.length === 0) return;
    const labels = this.#labels;
    this.#labels = [];
    const last = this.#lastLabels;
    for (const { field, doc, text } of labels) {
      const base = last[field]?.doc === doc ? last[field].end : 0;
      last[field] = { doc, end: this.#terms[field]!.addValue(doc, text, base) };
    }
  }

  #textOf(index: number, doc: number, json: Uint8Array): string {
    const { field } = this.#fields[index]!;
    const value = field.multi ? undefined : this.#documents?.[doc - this.#firstDoc]?.[field.name];
    return typeof value === "string" ? value : (JSON.parse(decodeUtf8(json)) as string);
  }

  #addUnusual(reader: ValueReader): void {
    const { field, doc, json, base } = reader.unusual;
    const text = this.#textOf(field, doc, json);
    this.#fields[field]!.order?.add(doc, text);
    const terms = this.#terms[field]!;
    if (terms !== null) reader.goOnAt(terms.addValue(doc, text, base));
  }
}

function toRead({ field, terms, order, column }: FieldWriters): ReadField {
  // A text that is a key has its column filled apart.
  const isRead = column === null || field.kind === "text";
  const words = isRead && terms instanceof TextFieldBuilder ? terms.readWords : 0;
  const isText = words !== 0 || order !== null;
  return {
    name: field.name,
    wanted: isText ? "text" : column === null ? "none" : "value",
    words,
    begins: order !== null,
  };
}
