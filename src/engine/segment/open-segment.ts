import { CorruptionError } from "../../errors/index.js";
import { countBits } from "../bytes/bitset.js";
import { decodeUtf8 } from "../bytes/byte-reader.js";
import { type FileOwner, newOwner, requireOwner } from "../bytes/file-owner.js";
import { readingFile } from "../bytes/malformed-bytes-error.js";
import type { Directory, WrittenFiles } from "../directory/directory.js";
import { dropImage } from "../kernels/dropped-images.js";
import { adoptImage, allocateImage, imageMemoryOf } from "../kernels/image-memory.js";
import type { SegmentImage } from "../kernels/posting-image.js";
import { newScratchLedger } from "../kernels/scratch-ledger.js";
import type { DocId, DocumentId } from "../schema/document.js";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import { ColumnReader } from "./columns/column-reader.js";
import { ContainerReader } from "./container/container-reader.js";
import { DocStoreReader } from "./doc-store/doc-store-reader.js";
import { DocumentIdsReader } from "./document-ids/document-ids-reader.js";
import { readLiveDocs } from "./live-docs.js";
import { OpenedFields } from "./opened-fields.js";
import {
  columnPrefix,
  documentFileName,
  fieldPrefix,
  hasColumn,
  hasTerms,
  hasTextOrder,
  indexFileName,
  schemaJson,
  segmentFileNames,
  textOrderPrefix,
} from "./segment-files.js";
import type { DocBits, KeptDocuments, SegmentReader, TextOrder } from "./segment-reader.js";
import { newSharedKey, type SharedSegment, type SharedSegmentData } from "./shared-segment.js";
import { runInSlices, type SlicedWork } from "./sliced-work.js";
import { FieldTermsReader } from "./terms/field-terms-reader.js";
import { openTextOrder } from "./text-order/text-order-reader.js";

export { segmentFileNames } from "./segment-files.js";

/** What all views of a segment share: everything that deletes don't change. */
interface SegmentCore {
  readonly name: string;
  readonly owner: FileOwner;
  readonly schema: EngineSchema;
  readonly maxDoc: number;
  readonly image: SegmentImage | null;
  readonly bytesOnDisk: number;
  readonly sections: ContainerReader;
  readonly documents: DocStoreReader;
  readonly ids: DocumentIdsReader;
  readonly fields: ReadonlyMap<string, EngineField>;
  readonly columns: OpenedFields<ColumnReader>;
  readonly textOrders: OpenedFields<TextOrder>;
  readonly indexFileLength: number;
  /** As other threads see it; null until one of them is to. */
  sharedData: SharedSegmentData | null;
  /** Holders of the open document store: it is closed when the last of them closes. */
  holders: number;
}

/**
 * A segment read from its files, under one set of live documents. `withLiveDocs` makes another view
 * of the same data. Views share one open file; it is closed once everyone who holds the segment has
 * closed a view of it: whoever opened it, and whoever called `retain`.
 */
export class OpenSegment implements SegmentReader {
  readonly name: string;
  readonly schema: EngineSchema;
  readonly maxDoc: number;
  readonly docCount: number;
  readonly liveDocs: DocBits | null;
  readonly image: SegmentImage | null;
  readonly #core: SegmentCore;
  #shared: SharedSegment | null = null;
  /** Opened anew for each view: their statistics are those of the live documents. */
  readonly #terms: OpenedFields<FieldTermsReader>;

  /** For `openSegment`. */
  constructor(core: SegmentCore, liveDocs: DocBits | null) {
    const docCount = liveDocs === null ? core.maxDoc : countBits(liveDocs);
    this.name = core.name;
    this.schema = core.schema;
    this.maxDoc = core.maxDoc;
    this.docCount = docCount;
    this.liveDocs = docCount === core.maxDoc ? null : liveDocs;
    this.image = core.image;
    this.#core = core;
    const { schema, sections, maxDoc } = core;
    this.#terms = new OpenedFields(schema, hasTerms, (ordinal) =>
      FieldTermsReader.open(sections, fieldPrefix(ordinal), maxDoc, this.liveDocs, sections.fileName),
    );
  }

  /** What live documents of the segment belong to. */
  get owner(): FileOwner {
    return this.#core.owner;
  }

  /** Whether its files say that they belong to it: those written before files did don't. */
  get isBound(): boolean {
    return this.#core.sections.owner !== null;
  }

  /** What the index file and the document store take. */
  get bytesOnDisk(): number {
    return this.#core.bytesOnDisk;
  }

  /** What the image takes: the index file, unfolded. */
  get bytesInMemory(): number {
    return this.#core.sections.image.length;
  }

  /** Without the live-docs file, which isn't the segment's own. */
  get fileNames(): readonly string[] {
    return segmentFileNames(this.name);
  }

  /** The raw sections, for checks and inspection. */
  get sections(): ContainerReader {
    return this.#core.sections;
  }

  /** The document store, for copying. */
  get documents(): DocStoreReader {
    return this.#core.documents;
  }

  field(name: string): EngineField | undefined {
    return this.#core.fields.get(name);
  }

  terms(field: string): FieldTermsReader | null {
    return this.#terms.of(field);
  }

  column(field: string): ColumnReader | null {
    return this.#core.columns.of(field);
  }

  textOrder(field: string): TextOrder | null {
    return this.#core.textOrders.of(field);
  }

  documentId(docId: DocId): DocumentId {
    return this.#core.ids.documentId(docId);
  }

  docIdOf(documentId: DocumentId): DocId {
    return this.#core.ids.docIdOf(documentId);
  }

  storedJson(docId: DocId): string {
    return this.#core.documents.storedJson(docId);
  }

  storedBytes(docId: DocId): Uint8Array {
    return this.#core.documents.storedBytes(docId);
  }

  get kept(): KeptDocuments {
    return this.#core.documents.kept;
  }

  unstoredJson(docId: DocId): string {
    return this.#core.documents.unstoredJson(docId);
  }

  /** For copying, and for checks. */
  get ids(): DocumentIdsReader {
    return this.#core.ids;
  }

  /**
   * This segment under other live documents. Costs O(deleted documents), reads no file.
   *
   * @param bits belongs to the view from now on; bits at and above `maxDoc` are 0
   */
  withLiveDocs(bits: DocBits | null): OpenSegment {
    return new OpenSegment(this.#core, bits);
  }

  /** This view as plain data, to be posted to other threads; the same object each time. */
  share(): SharedSegment {
    const core = this.#core;
    const image = core.image?.memory ?? null;
    core.sharedData ??= {
      key: newSharedKey(),
      name: core.name,
      image:
        image === null
          ? core.sections.image
          : { memory: image, bytes: core.sections.image.length, ledger: newScratchLedger() },
      indexFileLength: core.indexFileLength,
      documents: core.documents.index,
    };
    this.#shared ??= {
      data: core.sharedData,
      key: newSharedKey(),
      liveDocs: this.liveDocs === null ? null : inSharedMemory(this.liveDocs),
    };
    return this.#shared;
  }

  /**
   * This segment's data under the live documents that another thread has shared.
   *
   * @param shared of the same data
   */
  viewOf(shared: SharedSegment): OpenSegment {
    return OpenSegment.#viewOf(this.#core, shared);
  }

  /** For `openSharedSegment`. */
  static ofShared(core: SegmentCore, shared: SharedSegment): OpenSegment {
    return OpenSegment.#viewOf(core, shared);
  }

  static #viewOf(core: SegmentCore, shared: SharedSegment): OpenSegment {
    const view = new OpenSegment(core, shared.liveDocs);
    view.#shared = { ...shared, data: core.sharedData! };
    return view;
  }

  /** Holds the segment open: to be matched by one more `close`. */
  retain(): this {
    this.#core.holders++;
    return this;
  }

  /** Lets go of the segment; the last holder's call closes the document store for every view. */
  close(): void {
    if (--this.#core.holders > 0) return;
    this.#core.documents.close();
    dropImage(this.#core.sections.image);
  }
}

/** How a segment is opened. */
export interface OpenSegmentOptions {
  /** Which segment a commit point says it is. */
  readonly committed?: SegmentIdentity;
  /** Puts work around the unfolding, such as that of a memory for it. */
  readonly lending?: <T>(work: SlicedWork<T>) => SlicedWork<T>;
}

/** Which segment it is of all that there are, whatever its name. */
export interface SegmentIdentity {
  /** Null: named by a commit point of before there were owners. */
  readonly owner: FileOwner | null;
  /** Whether its index file and document store say so. */
  readonly isBound: boolean;
}

/**
 * Opens a segment: reads its index file whole, checks every byte of it, and unfolds what is folded. The
 * document store is opened and read as needed.
 *
 * @param liveDocsFile file with its live documents, null if none is deleted
 * @throws CorruptionError naming the file, also if it belongs to another segment; FindlingError `storage_unavailable`
 */
export async function openSegment(
  directory: WrittenFiles,
  name: string,
  schema: EngineSchema,
  liveDocsFile: string | null,
  { committed, lending = (work) => work }: OpenSegmentOptions = {},
): Promise<OpenSegment> {
  const indexFile = indexFileName(name);
  const fileBytes = await directory.read(indexFile, allocateImage);
  const sections = await runInSlices(lending(ContainerReader.open(fileBytes, indexFile)));
  const written = sections.owner;
  if (committed !== undefined) {
    requireOwner(indexFile, "segment", written, committed.isBound ? committed.owner : null);
  }
  const writtenUnder = readingFile(indexFile, () => decodeUtf8(sections.u8("schema")));
  if (writtenUnder !== schemaJson(schema)) {
    throw new CorruptionError(indexFile, "it was written under another schema than its index has");
  }
  const maxDoc = maxDocOf(sections);
  const owner = written ?? committed?.owner ?? newOwner();
  const liveDocs =
    liveDocsFile === null
      ? null
      : await readLiveDocs(directory, liveDocsFile, { maxDoc, owner, isBound: written !== null });
  const file = await directory.open(documentFileName(name));
  try {
    const documents = DocStoreReader.open(file);
    requireOwner(file.name, "segment", documents.owner, written);
    if (documents.docCount !== maxDoc) {
      throw new CorruptionError(
        file.name,
        `it has ${documents.docCount} documents, its segment has ${maxDoc}`,
      );
    }
    const core = openCore({
      name,
      owner,
      schema,
      indexFileLength: fileBytes.length,
      sections,
      documents,
      sharedData: null,
    });
    const opened = new OpenSegment(core, liveDocs);
    // Here, and not in the midst of a search, it turns out whether sections fit together.
    for (const { name: field } of schema.fields) {
      opened.terms(field);
      opened.column(field);
      opened.textOrder(field);
    }
    return opened;
  } catch (error) {
    file.close();
    throw error;
  }
}

/**
 * Opens a segment that another thread of this process has open, without reading its index file again.
 *
 * @param threadNumber whose scratch space is used, from 1: no two threads at a time have the same; null
 *   if nothing is searched here
 * @throws CorruptionError if its document store is gone; FindlingError `storage_unavailable`
 */
export async function openSharedSegment(
  directory: Directory,
  schema: EngineSchema,
  shared: SharedSegment,
  threadNumber: number | null,
): Promise<OpenSegment> {
  const { data } = shared;
  const { name, image } = data;
  const file = await directory.open(documentFileName(name));
  try {
    const bytes =
      image instanceof Uint8Array
        ? image
        : adoptImage(
            image.memory,
            image.bytes,
            threadNumber === null ? null : { ledger: image.ledger, number: threadNumber },
          );
    const sections = ContainerReader.reopen(bytes, indexFileName(name));
    const documents = DocStoreReader.reopen(file, data.documents);
    return OpenSegment.ofShared(
      openCore({
        name,
        owner: sections.owner ?? newOwner(),
        schema,
        indexFileLength: data.indexFileLength,
        sections,
        documents,
        sharedData: data,
      }),
      shared,
    );
  } catch (error) {
    file.close();
    throw error;
  }
}

function openCore(
  opened: Pick<
    SegmentCore,
    "name" | "owner" | "schema" | "indexFileLength" | "sections" | "documents" | "sharedData"
  >,
): SegmentCore {
  const { name, schema, sections, documents } = opened;
  const indexFile = indexFileName(name);
  const maxDoc = maxDocOf(sections);
  const memory = imageMemoryOf(sections.image);
  return {
    ...opened,
    maxDoc,
    image: memory === null ? null : { memory, maxDoc },
    bytesOnDisk: opened.indexFileLength + documents.bytesOnDisk,
    ids: new DocumentIdsReader(sections, maxDoc, indexFile),
    fields: new Map(schema.fields.map((field) => [field.name, field])),
    columns: new OpenedFields(schema, hasColumn, (ordinal) =>
      ColumnReader.open(sections, columnPrefix(ordinal), maxDoc, indexFile),
    ),
    textOrders: new OpenedFields(schema, hasTextOrder, (ordinal) =>
      openTextOrder(sections, textOrderPrefix(ordinal), maxDoc, indexFile),
    ),
    holders: 1,
  };
}

function maxDocOf(sections: ContainerReader): number {
  return sections.u32("segment")[0] ?? 0;
}

function inSharedMemory(bits: DocBits): DocBits {
  if (bits.buffer instanceof SharedArrayBuffer) return bits;
  const shared = new Uint32Array(new SharedArrayBuffer(bits.byteLength));
  shared.set(bits);
  return shared;
}
