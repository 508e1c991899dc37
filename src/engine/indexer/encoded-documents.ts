import { FindlingError } from "../../errors/index.js";
import { readJson } from "../../json/exact-json.js";
import { decodeUtf8 } from "../bytes/byte-reader.js";
import { ByteWriter } from "../bytes/byte-writer.js";
import { giveBackBuffer, takeSpareBuffer } from "../bytes/spare-buffers.js";
import type { CanonicalDocument, DocumentId } from "../schema/document.js";
import type { DocumentIdSource } from "../schema/document-ids.js";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import { hasColumn } from "../segment/segment-files.js";
import { runInSlices, type SlicedWork } from "../segment/sliced-work.js";
import { DocumentEncoder } from "./document-encoder.js";
import { type DocumentKeys, DocumentKeysWriter, keyedField } from "./document-keys.js";

/** Documents encoded between two pauses; a power of two. */
const DOCUMENTS_PER_STEP = 16;

/** Where the buffer for a few documents starts. */
const CAPACITY = 1 << 12;

/** So many are worth a buffer that is used again: new ones are long, and filled with zeros first. */
const MANY_DOCUMENTS = 64;

/** What an id in a list takes, with quotes and comma. */
const ID_BYTES = 35;

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** JSON of an object without members. */
const EMPTY_JSON: Uint8Array = Uint8Array.of(OPENING_BRACE, CLOSING_BRACE);

/** A document's JSON, `bytes[start]` up to, not including, `bytes[end]`: stored members first. */
export class DocumentJson {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #storedEnd: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, start: number, storedEnd: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#storedEnd = storedEnd;
    this.#end = end;
  }

  /** The members that a hit returns. */
  get stored(): Uint8Array {
    if (!this.#hasUnstored) return this.#bytes.subarray(this.#start, this.#end);
    const json = this.#bytes.slice(this.#start, this.#storedEnd + 1);
    json[json.length - 1] = CLOSING_BRACE;
    return json;
  }

  /** The members kept apart. */
  get unstored(): Uint8Array {
    if (!this.#hasUnstored) return EMPTY_JSON;
    // Before them stands a comma, or the brace of an object without stored members.
    const start = this.#storedEnd - this.#start > 1 ? this.#storedEnd : this.#start;
    const json = this.#bytes.slice(start, this.#end);
    json[0] = OPENING_BRACE;
    return json;
  }

  get #hasUnstored(): boolean {
    return this.#storedEnd < this.#end - 1;
  }
}

/**
 * Documents of one write, checked, and their JSON in the form of a journal entry. Plain data, so that it
 * can travel to the thread that writes.
 */
export interface EncodedDocuments {
  readonly ids: readonly DocumentId[];
  /** UTF-8 JSON of an object with the members `documents` and `ids`. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** By document: where its JSON starts, its stored members end, and it ends. */
  readonly offsets: Uint32Array<ArrayBuffer>;
  /** As they were before, where they are at hand. */
  readonly documents?: readonly CanonicalDocument[];
  /** Values of the field that they replace others by, or that the schema keeps as a key; absent if there is neither. */
  readonly keys?: DocumentKeys;
  /** Whose place they take: that of documents with the same keys, or with their own ids; absent: nobody's. */
  readonly replaces?: "same_key" | "same_id";
}

/** How documents are to be added besides. */
export interface Replacing {
  /** The field by which they replace others: it has a column and one value. */
  readonly key?: string | undefined;
  /** Whether they take the place of the documents whose ids they have. */
  readonly sameIds?: boolean;
}

export function jsonOf({ json, offsets }: EncodedDocuments, index: number): DocumentJson {
  const at = 3 * index;
  return new DocumentJson(json, offsets[at]!, offsets[at + 1]!, offsets[at + 2]!);
}

export function documentOf({ documents, json, offsets }: EncodedDocuments, index: number): CanonicalDocument {
  if (documents !== undefined) return documents[index]!;
  const text = decodeUtf8(json.subarray(offsets[3 * index], offsets[3 * index + 2]));
  return readJson(text) as CanonicalDocument;
}

/**
 * @param room for JSON
 * @throws FindlingError `invalid_document` for the first document that doesn't fit the schema
 */
export function* encodeDocuments(
  schema: EngineSchema,
  ids: readonly DocumentId[],
  documents: readonly CanonicalDocument[],
  room: number | ArrayBuffer = CAPACITY,
  replacing: Replacing = {},
): SlicedWork<EncodedDocuments> {
  const encoding = new DocumentsEncoding(schema, room, replacing);
  try {
    yield* encoding.add(documents);
  } catch (error) {
    encoding.drop();
    throw error;
  }
  return { ...encoding.end(ids), documents };
}

/** Encodes documents in this thread alone: their JSON is to be released by `releaseEncoded`. */
export function encodeHere(
  schema: EngineSchema,
  ids: readonly DocumentId[],
  documents: readonly CanonicalDocument[],
  replacing: Replacing = {},
): SlicedWork<EncodedDocuments> {
  const room = documents.length < MANY_DOCUMENTS ? CAPACITY : takeSpareBuffer(1);
  return encodeDocuments(schema, ids, documents, room, replacing);
}

/**
 * Checks documents and writes them as bytes, for `Index.addEncoded`: what can be done where they come in, so
 * that an index in another thread has less to do.
 *
 * @param ids of a `DocumentIdSource`, in the order of the calls of `addEncoded`
 * @throws FindlingError `invalid_document` for the first that doesn't fit the schema
 */
export function encodeForAdding(
  schema: EngineSchema,
  ids: readonly DocumentId[],
  documents: readonly CanonicalDocument[],
  replacing: Replacing = {},
): Promise<EncodedDocuments> {
  return runInSlices(encodeDocuments(schema, ids, documents, CAPACITY, replacing));
}

/** Reads documents: yields some, or undefined where it only pauses; returns what else there is to say of them. */
export type DocumentReading<T> = Generator<readonly CanonicalDocument[] | undefined, T, undefined>;

/**
 * Encodes documents as they are read, so that few of them are in memory at a time. Their JSON is to be released by
 * `releaseEncoded`.
 *
 * @param ids asked for them once all have been read
 * @param bytesExpected of the documents' JSON; more may come
 * @throws FindlingError `invalid_document` for the first that doesn't fit the schema; whatever the reading throws
 */
export function* encodeReading<T>(
  schema: EngineSchema,
  ids: DocumentIdSource,
  reading: DocumentReading<T>,
  bytesExpected: number,
  replacing: Replacing = {},
): SlicedWork<{ readonly encoded: EncodedDocuments; readonly outcome: T }> {
  const encoding = new DocumentsEncoding(schema, takeSpareBuffer(bytesExpected), replacing);
  try {
    for (;;) {
      const step = reading.next();
      if (step.done === true) return { encoded: encoding.end(ids.next(encoding.count)), outcome: step.value };
      if (step.value !== undefined) yield* encoding.add(step.value);
      yield;
    }
  } catch (error) {
    encoding.drop();
    throw error;
  }
}

/** To be called once nobody reads the JSON any more, nor writes it to a file. */
export function releaseEncoded({ json }: EncodedDocuments): void {
  giveBackBuffer(json.buffer);
}

/** @throws FindlingError `unknown_field`; `invalid_schema` for a field that can't be one */
export function keyFieldOf(schema: EngineSchema, name: string): EngineField {
  const field = schema.fields.find((each) => each.name === name);
  if (field === undefined) throw new FindlingError("unknown_field", `field '${name}' is not in the schema`);
  if (hasColumn(field) && !field.multi && field.kind !== "facet") return field;
  throw new FindlingError(
    "invalid_schema",
    `field '${name}' can't be a key: it has no column of single values`,
  );
}

/** Encodes documents as they come, without keeping them: first all `add`, then `end`. */
export class DocumentsEncoding {
  readonly #encoder: DocumentEncoder;
  readonly #json: ByteWriter;
  readonly #offsets: number[] = [];
  readonly #replacing: Replacing;
  readonly #keys: DocumentKeysWriter | null;

  /**
   * @param room for JSON, or how many bytes are expected; more may come
   * @throws FindlingError `unknown_field` if the schema lacks the key
   */
  constructor(schema: EngineSchema, room: number | ArrayBuffer, replacing: Replacing = {}) {
    this.#encoder = new DocumentEncoder(schema);
    this.#replacing = replacing;
    const keyField = replacing.key === undefined ? keyedField(schema) : keyFieldOf(schema, replacing.key);
    this.#keys = keyField === null ? null : new DocumentKeysWriter(keyField);
    this.#json = new ByteWriter(room);
    this.#json.text('{"documents":[');
  }

  get count(): number {
    return this.#offsets.length / 3;
  }

  /** @throws FindlingError `invalid_document` for the first that doesn't fit the schema; all is of no use then */
  *add(documents: readonly CanonicalDocument[]): SlicedWork {
    const json = this.#json;
    const offsets = this.#offsets;
    for (let i = 0; i < documents.length; i++) {
      if (offsets.length > 0) json.text(",");
      const start = json.length;
      const storedEnd = this.#encoder.encode(documents[i]!, json);
      offsets.push(start, storedEnd, json.length);
      this.#keys?.add(documents[i]!);
      if ((i & (DOCUMENTS_PER_STEP - 1)) !== DOCUMENTS_PER_STEP - 1) continue;
      if (i === DOCUMENTS_PER_STEP - 1) this.#reserveFor(documents.length - i - 1);
      yield;
    }
  }

  /** Makes room for documents to come, a quarter more than if they were as long as those before, and their ids. */
  #reserveFor(documents: number): void {
    const bytesPerDocument = (1.25 * this.#json.length) / this.count + ID_BYTES;
    this.#json.reserve(Math.ceil(documents * bytesPerDocument));
  }

  /** @param ids one for each document */
  end(ids: readonly DocumentId[]): EncodedDocuments {
    const { key, sameIds } = this.#replacing;
    const keyMember = key === undefined ? "" : `,"key":${JSON.stringify(key)}`;
    this.#json.text(`],"ids":${JSON.stringify(ids)}${keyMember}}`);
    return {
      ids,
      json: this.#json.view(),
      offsets: Uint32Array.from(this.#offsets),
      ...(this.#keys === null ? {} : { keys: this.#keys.end() }),
      ...(sameIds === true ? { replaces: "same_id" } : key === undefined ? {} : { replaces: "same_key" }),
    };
  }

  /** In place of `end`, where nothing comes of it. */
  drop(): void {
    giveBackBuffer(this.#json.view().buffer);
  }
}
