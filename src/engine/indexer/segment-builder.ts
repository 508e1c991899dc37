import type { Analyzer } from "../../analysis/analyzer.js";
import { FindlingError } from "../../errors/index.js";
import type { NewFiles } from "../directory/directory.js";
import { BuildingMemory } from "../kernels/building-memory.js";
import type { CanonicalDocument, CanonicalValue, DocId, DocumentId } from "../schema/document.js";
import { NO_MORE_DOCS } from "../schema/document.js";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import { SortBytesWriter } from "../schema/sort-bytes.js";
import { ColumnWriter } from "../segment/columns/column-writer.js";
import type { ContainerWriter } from "../segment/container/container-writer.js";
import { DocStoreReader } from "../segment/doc-store/doc-store-reader.js";
import { DocStoreWriter } from "../segment/doc-store/doc-store-writer.js";
import { DocumentIdsWriter } from "../segment/document-ids/document-ids-writer.js";
import { lendingMemory } from "../segment/lending-memory.js";
import {
  columnPrefix,
  fieldPrefix,
  hasColumn,
  hasPaths,
  hasTerms,
  hasTextOrder,
  type SegmentFiles,
  textOrderPrefix,
} from "../segment/segment-files.js";
import { runInSlices, runWhole, type SlicedWork } from "../segment/sliced-work.js";
import { StoredTexts } from "../segment/text-order/stored-texts.js";
import { TextOrderWriter } from "../segment/text-order/text-order-writer.js";
import { newIndexFile, writeSegmentFiles } from "../segment/write-segment-files.js";
import { ChunkedFile } from "./chunked-file.js";
import { keyOf } from "./document-keys.js";
import { documentOf, type EncodedDocuments, encodeDocuments, jsonOf } from "./encoded-documents.js";
import type { FieldWriters } from "./field-writers.js";
import { TextFieldBuilder } from "./text-field-builder.js";

/** Buffers of a builder before the first document, the document store's most of all. */
const EMPTY_BYTES = 384 << 10;

/** A segment in the making: takes documents, can't be searched, is written as files once. */
export class SegmentBuilder {
  readonly schema: EngineSchema;
  readonly #fields: readonly FieldWriters[];
  /** Where text fields are inverted; null: there are none. */
  #memory: BuildingMemory | null;
  /** The text field that is a key, if one is. */
  readonly #keyed: FieldWriters | null;
  readonly #sortBytes: SortBytesWriter = new SortBytesWriter();
  readonly #ids: DocumentIdsWriter = new DocumentIdsWriter();
  #documents: DocStoreWriter = new DocStoreWriter();
  /** Documents that are to be none any more. */
  readonly #dropped = new Set<DocId>();
  /** The document store's file once it has been written. */
  #finishedDocuments: Uint8Array[] | null = null;

  /** @param isForFew documents, as far as is known */
  constructor(schema: EngineSchema, analyzer: Analyzer, isForFew = false) {
    this.schema = schema;
    this.#memory = schema.fields.some(hasTerms) ? BuildingMemory.take(isForFew) : null;
    this.#fields = schema.fields.map((field) => ({
      field,
      isInherited: field.name in Object.prototype,
      terms: this.#memory !== null && hasTerms(field) ? new TextFieldBuilder(this.#memory, analyzer) : null,
      order: hasTextOrder(field) ? new TextOrderWriter(field.composed === true) : null,
      column: hasColumn(field) ? new ColumnWriter({ multi: field.multi, facet: hasPaths(field) }) : null,
    }));
    this.#keyed = this.#fields.find(({ field }) => field.keyed === true) ?? null;
  }

  get docCount(): number {
    return this.#ids.count;
  }

  /** Documents among them that have been dropped since they were added. */
  get dropped(): ReadonlySet<DocId> {
    return this.#dropped;
  }

  /** The document that has the value in a field with a column, and isn't dropped; -1 if none has. */
  docWithKey(field: string, key: Uint8Array): DocId {
    const writers = this.#fields.find((each) => each.field.name === field);
    // One that is dropped has given way to a later one with the same key.
    const docId = writers?.column?.lastDocWith(key) ?? -1;
    return this.#dropped.has(docId) ? -1 : docId;
  }

  /** Has a document be none of these: it is written with the others, and left to whoever writes to delete. */
  drop(docId: DocId): void {
    this.#dropped.add(docId);
  }

  /** Estimate of the memory taken, with what `write` will take while it runs. */
  get bytesUsed(): number {
    const shared = this.#memory === null ? 0 : this.#memory.functions.heapTop();
    let bytes = EMPTY_BYTES + shared + this.#ids.bytesUsed + this.#documents.byteLength;
    for (const { terms, order, column } of this.#fields) {
      bytes += (terms?.bytesUsed ?? 0) + (order?.bytesUsed ?? 0) + (column?.bytesUsed ?? 0);
    }
    return bytes;
  }

  /**
   * Adds a document; ids are unique in the index. Nothing of it is added when this throws.
   *
   * @throws FindlingError `invalid_document` if it doesn't fit the schema
   */
  add(documentId: DocumentId, document: CanonicalDocument): DocId {
    this.addEncoded(runWhole(encodeDocuments(this.schema, [documentId], [document])), 0, 1);
    return this.docCount - 1;
  }

  /**
   * Adds documents `from` to `to` of those that have been encoded, and so checked. If this throws, of those added before
   * only what is stored is sure to be whole.
   */
  addEncoded(encoded: EncodedDocuments, from: number, to: number): void {
    const before = this.docCount - from;
    try {
      for (let next = from; next < to; next++) this.#addFields(encoded.ids[next]!, documentOf(encoded, next));
      this.#addKeys(encoded, from, to, before);
    } finally {
      this.#store(encoded, from, this.docCount - before);
    }
  }

  /** A text field's whole values, which aren't read with its words. */
  #addKeys({ keys }: EncodedDocuments, from: number, to: number, before: number): void {
    const column = this.#keyed?.column ?? null;
    if (column === null || keys === undefined || keys.field !== this.#keyed!.field.name) return;
    for (let place = from; place < to; place++) {
      const key = keyOf(keys, place);
      if (key.length === 0 && keys.absent.includes(place)) continue;
      column.addValue(before + place, key, key.length);
    }
  }

  /** Adds all of a document but its JSON. */
  #addFields(documentId: DocumentId, document: CanonicalDocument): void {
    const docId = this.docCount;
    if (docId >= NO_MORE_DOCS - 1)
      throw new FindlingError("internal", "a segment takes no more documents; flush it");
    this.#ids.add(documentId);
    for (let i = 0; i < this.#fields.length; i++) {
      const writers = this.#fields[i]!;
      const { name } = writers.field;
      const value = document[name];
      if (value === undefined) continue;
      if (!writers.isInherited || Object.hasOwn(document, name)) this.#addValue(docId, writers, value);
    }
  }

  #store(encoded: EncodedDocuments, from: number, to: number): void {
    const store = this.#openDocuments();
    for (let i = from; i < to; i++) {
      const { stored, unstored } = jsonOf(encoded, i);
      store.append(stored, unstored);
    }
  }

  /**
   * Writes the segment's files, synced; the name must be free. On failure none of them is left.
   * Whether it fails or not, the builder can go on: take more documents, be written again. Lets the
   * event loop turn meanwhile; the caller makes sure that nothing is added before it has resolved.
   *
   * @param between other work that goes before the next slice
   * @throws FindlingError `storage_unavailable`
   */
  async write(
    directory: NewFiles,
    name: string,
    between?: () => Promise<void> | null,
  ): Promise<SegmentFiles> {
    const documents = (this.#finishedDocuments ??= this.#documents.finish());
    const { owner } = this.#documents;
    const index = newIndexFile(this.schema, this.docCount, owner);
    const store = DocStoreReader.open(new ChunkedFile(name, documents));
    await runInSlices(this.lendingMemory(this.#writeSections(index, store)), between);
    return await writeSegmentFiles(
      directory,
      { name, maxDoc: this.docCount, owner },
      index.chunks(),
      documents,
    );
  }

  *#writeSections(index: ContainerWriter, store: DocStoreReader): SlicedWork {
    const maxDoc = this.docCount;
    for (const { terms } of this.#fields) terms?.reserve();
    yield* this.#ids.write(index);
    for (let ordinal = 0; ordinal < this.#fields.length; ordinal++) {
      const { field, terms, order, column } = this.#fields[ordinal]!;
      if (terms !== null) yield* terms.write(index, fieldPrefix(ordinal), maxDoc);
      if (order !== null) {
        yield* order.write(index, textOrderPrefix(ordinal), maxDoc, new StoredTexts(store, field));
      }
      if (column !== null) yield* column.write(index, columnPrefix(ordinal), maxDoc);
    }
  }

  /** Work that borrows the builder's memory where it wants some for a while. */
  lendingMemory<T>(work: SlicedWork<T>): SlicedWork<T> {
    return this.#memory === null ? work : lendingMemory(this.#memory, work);
  }

  /** Gives back its memory, which nobody may be writing to a file any more; of no use afterwards. */
  close(): void {
    this.#documents.release();
    for (const { order } of this.#fields) order?.release();
    this.#memory?.giveBack();
    this.#memory = null;
  }

  /** A finished store takes no more documents: after a write they go on in a new one. */
  #openDocuments(): DocStoreWriter {
    if (this.#finishedDocuments !== null) {
      const store = DocStoreReader.open(new ChunkedFile("documents", this.#finishedDocuments));
      const finished = this.#documents;
      this.#documents = new DocStoreWriter();
      runWhole(this.#documents.appendAll(store));
      finished.release();
      this.#finishedDocuments = null;
    }
    return this.#documents;
  }

  #addValue(docId: DocId, writers: FieldWriters, value: CanonicalValue): void {
    const { field, terms, order, column } = writers;
    order?.add(docId, value as string);
    if (field.multi) {
      const values = value as readonly CanonicalValue[];
      let positionBase = 0;
      for (let i = 0; i < values.length; i++) {
        if (terms !== null) positionBase = terms.addValue(docId, values[i] as string, positionBase);
        if (column !== null) this.#addColumnValue(docId, field, column, values[i]!);
      }
      return;
    }
    terms?.addValue(docId, value as string, 0);
    if (column !== null && field.keyed !== true) this.#addColumnValue(docId, field, column, value);
  }

  #addColumnValue(docId: DocId, field: EngineField, column: ColumnWriter, value: CanonicalValue): void {
    const length = this.#sortBytes.write(field, value);
    column.addValue(docId, this.#sortBytes.bytes, length);
  }
}
