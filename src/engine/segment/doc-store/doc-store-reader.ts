import { ByteReader, decodeUtf8 } from "../../bytes/byte-reader.js";
import type { FileOwner } from "../../bytes/file-owner.js";
import { MalformedBytesError, namingFile, readingFile } from "../../bytes/malformed-bytes-error.js";
import { releaseBuffer } from "../../bytes/release-buffer.js";
import type { RandomAccessFile } from "../../directory/directory.js";
import type { BlockDecoder } from "../../kernels/block-decoder.js";
import { BlockPool, type PooledBlock } from "./block-pool.js";
import { DocStoreBlocks } from "./doc-store-blocks.js";
import { DocStoreIndex, type SharedDocStoreIndex } from "./doc-store-index.js";
import { DocumentTable } from "./document-table.js";
import { RecentDocuments } from "./recent-documents.js";

/** Takes a document's two parts as UTF-8 bytes. */
export type DocumentVisitor = (docId: number, stored: Uint8Array, unstored: Uint8Array) => void;

/** Bytes of blocks that are read in one go, where all are read. */
const RUN_BYTES = 1 << 18;

/** A document's two parts, one after the other. */
export type Part = "stored" | "unstored";

/**
 * Documents of one segment by doc id, read from a document store file (FORMAT.md): one positional
 * read of 4 KiB, summed up the first time, unless its block is in the pool, and decompression up to the document.
 */
export class DocStoreReader {
  readonly #file: RandomAccessFile;
  readonly #index: DocStoreIndex;
  readonly #blocks: DocStoreBlocks;
  readonly #pool: BlockPool;
  /** Stored fields of documents that were asked for repeatedly. `RecentDocuments` bounds them. */
  readonly #texts: DocumentTable<string> = new DocumentTable();
  readonly #storedBytes: DocumentTable<Uint8Array> = new DocumentTable();

  private constructor(file: RandomAccessFile, index: DocStoreIndex, pool: BlockPool) {
    this.#file = file;
    this.#index = index;
    this.#blocks = new DocStoreBlocks(file, index);
    this.#pool = pool;
  }

  /**
   * Checks all but the blocks. The file belongs to the reader from now on.
   * @param pool keeps blocks that were read
   * @throws CorruptionError naming the file
   */
  static open(file: RandomAccessFile, pool: BlockPool = BlockPool.ofThread()): DocStoreReader {
    return new DocStoreReader(
      file,
      readingFile(file.name, () => DocStoreIndex.read(file)),
      pool,
    );
  }

  /** As `open`, with what another thread of this process has read and checked. */
  static reopen(file: RandomAccessFile, index: SharedDocStoreIndex): DocStoreReader {
    return new DocStoreReader(file, new DocStoreIndex(index), BlockPool.ofThread());
  }

  /** For `reopen` in another thread. */
  get index(): SharedDocStoreIndex {
    return this.#index.shared;
  }

  /** The segment that the file says it belongs to; null if it was written before files said so. */
  get owner(): FileOwner | null {
    return this.#index.owner;
  }

  /** Documents in the store, deleted ones included: doc ids 0 to `docCount - 1`. */
  get docCount(): number {
    return this.#index.docCount;
  }

  get blockCount(): number {
    return this.#index.blockCount;
  }

  /** For errors. */
  get fileName(): string {
    return this.#file.name;
  }

  get bytesOnDisk(): number {
    return this.#file.size;
  }

  /** The stored fields of a document as JSON text. @throws CorruptionError naming the file; RangeError as `read` */
  storedJson(docId: number): string {
    return this.#texts.get(docId) ?? this.#text(docId, "stored");
  }

  /** Stored fields as JSON in UTF-8, not to be changed. @throws as `storedJson` */
  storedBytes(docId: number): Uint8Array {
    return this.#storedBytes.get(docId) ?? this.#readStoredBytes(docId);
  }

  /** Documents whose stored bytes are kept in memory, and their ids, as far as whoever knows them named them. */
  get kept(): DocumentTable<Uint8Array> {
    return this.#storedBytes;
  }

  /** The fields of a document that aren't stored, as JSON text. @throws as `storedJson` */
  unstoredJson(docId: number): string {
    return this.#text(docId, "unstored");
  }

  /**
   * A document's two parts as UTF-8 bytes.
   * @throws CorruptionError naming the file; RangeError if `docId` is not below `docCount`
   */
  read(docId: number): { readonly stored: Uint8Array; readonly unstored: Uint8Array } {
    return readingFile(this.#file.name, () => ({
      stored: this.#bytes(docId, "stored"),
      unstored: this.#bytes(docId, "unstored"),
    }));
  }

  /**
   * Visits all documents, deleted ones included, in doc id order, one block in memory at a time. The
   * bytes stay valid after the visit and must not be changed.
   * @throws CorruptionError naming the file
   */
  forEach(visit: DocumentVisitor): void {
    for (let block = 0; block < this.blockCount; block++) this.forEachOfBlock(block, visit);
  }

  /**
   * As `forEach`, for the documents of one block.
   * @param bytes of `readBlockBytes`, if they have been read already
   */
  forEachOfBlock(block: number, visit: DocumentVisitor, bytes?: Uint8Array): void {
    this.#visitAll(block, this.#blocks.decode(block, bytes), visit);
  }

  /**
   * Visits a block's documents without memory for each block: its bytes are valid during the visit only, which reads
   * no other block.
   * @param room where blocks up to its length are read to
   */
  passOverBlock(block: number, visit: DocumentVisitor, room: Uint8Array): void {
    this.#visitAll(block, this.#blocks.decodeInPassing(block, room), visit);
  }

  #visitAll(block: number, bytes: Uint8Array, visit: DocumentVisitor): void {
    const reader = new ByteReader(bytes);
    const end = this.blockEndDoc(block);
    for (let docId = this.blockFirstDoc(block); docId < end; docId++) {
      const record = readingFile(this.#file.name, () => nextRecord(reader));
      visit(docId, record.stored, record.unstored);
    }
    if (reader.remaining !== 0) {
      readingFile(this.#file.name, () => {
        throw new MalformedBytesError(`block ${block} holds more than its documents`);
      });
    }
  }

  /** Reads and checks every block and record. @throws CorruptionError naming the file */
  verify(): void {
    this.forEach(() => {});
  }

  close(): void {
    this.#blocks.release(this.#pool);
    this.#texts.clear();
    this.#storedBytes.clear();
    this.#file.close();
  }

  /** First doc id of a block; for copying whole blocks, as are the next two. */
  blockFirstDoc(block: number): number {
    return this.#index.firstDoc(block);
  }

  /** Doc id after a block's last. */
  blockEndDoc(block: number): number {
    return this.#index.endDoc(block);
  }

  /** The block with a document. @throws RangeError if `docId` is not below `docCount` */
  blockOf(docId: number): number {
    if (docId >= 0 && docId < this.docCount) return this.#index.blockOf(docId);
    throw new RangeError(`there is no document ${docId} in '${this.#file.name}'`);
  }

  /** A block as it is in the file, header included, its checksum verified. @throws CorruptionError naming the file */
  readBlockBytes(block: number): Uint8Array {
    return this.#blocks.read(block);
  }

  /**
   * Blocks in order as they are in the file, headers included, checksums verified: many are read at a time.
   * The bytes are valid until the next block is asked for.
   *
   * @param wants asked for each block right before it is given
   * @throws CorruptionError naming the file
   */
  *blocksInOrder(
    wants: (block: number) => boolean,
  ): Generator<{ readonly block: number; readonly bytes: Uint8Array }, void, undefined> {
    let run = new Uint8Array(RUN_BYTES);
    let runStart = 0;
    let runEndBlock = 0;
    try {
      for (let block = 0; block < this.blockCount; block++) {
        if (!wants(block)) continue;
        const offset = this.#index.offset(block);
        const length = this.#index.length(block);
        if (block >= runEndBlock) {
          if (length > run.length) run = new Uint8Array(length);
          runEndBlock = this.#blocks.readRun(block, run);
          runStart = offset;
        }
        const at = offset - runStart;
        this.#blocks.check(block, run, at);
        yield { block, bytes: run.subarray(at, at + length) };
      }
    } finally {
      // A merge reads each of its inputs once or several times.
      releaseBuffer(run.buffer);
    }
  }

  /** As `storedJson` and `unstoredJson`, the bytes. */
  partBytes(docId: number, part: Part): Uint8Array {
    try {
      return this.#bytes(docId, part);
    } catch (error) {
      throw namingFile(this.#file.name, error);
    }
  }

  #text(docId: number, part: Part): string {
    try {
      const block = this.blockOf(docId);
      const pooled = this.#pool.find(this.#blocks, block);
      if (pooled === null) return decodeUtf8(this.#decoded(docId, block)[part]);
      const text = this.#pool.text(this.#record(pooled, docId, part));
      const kept = RecentDocuments.textsOfThread();
      if (part === "stored" && isSeenAgain(pooled, docId) && kept.wants(text.length))
        kept.keep(this.#texts, docId, text);
      return text;
    } catch (error) {
      throw namingFile(this.#file.name, error);
    }
  }

  #readStoredBytes(docId: number): Uint8Array {
    try {
      const block = this.blockOf(docId);
      const pooled = this.#pool.find(this.#blocks, block);
      if (pooled === null) return this.#decoded(docId, block).stored;
      const record = this.#record(pooled, docId, "stored");
      const kept = RecentDocuments.bytesOfThread();
      if (!isSeenAgain(pooled, docId) || !kept.wants(record.recordEnd - record.recordStart))
        return this.#pool.copy(record);
      const bytes = kept.chunks.copy(record.bytes, record.recordStart, record.recordEnd);
      kept.keep(this.#storedBytes, docId, bytes);
      return bytes;
    } catch (error) {
      throw namingFile(this.#file.name, error);
    }
  }

  /** A copy of a document's part. */
  #bytes(docId: number, part: Part): Uint8Array {
    const block = this.blockOf(docId);
    const pooled = this.#pool.find(this.#blocks, block);
    if (pooled === null) return this.#decoded(docId, block)[part];
    const { bytes, recordStart, recordEnd } = this.#record(pooled, docId, part);
    return bytes.slice(recordStart, recordEnd);
  }

  #record(pooled: PooledBlock, docId: number, part: Part): BlockDecoder {
    const { block } = pooled;
    const first = this.#index.firstDoc(block);
    const before = docId - first;
    // Nearly always enough, since documents of one block tend to be of like length.
    const share = (before + 1.25) / (this.#index.endDoc(block) - first);
    const ordinal = before * 2 + (part === "stored" ? 0 : 1);
    return this.#pool.record(pooled, ordinal, Math.ceil(pooled.rawLength * share));
  }

  /** What a document has in a block that is too long to be kept. */
  #decoded(docId: number, block: number): Record<Part, Uint8Array> {
    return recordAfter(new ByteReader(this.#blocks.decode(block)), docId - this.#index.firstDoc(block));
  }
}

/** Whether the document was asked for before while its block was in the pool; remembers it. */
function isSeenAgain(pooled: PooledBlock, docId: number): boolean {
  const bit = 1 << (docId & 31);
  const isSeen = (pooled.seen & bit) !== 0;
  pooled.seen |= bit;
  return isSeen;
}

/** The record behind as many others. */
function recordAfter(reader: ByteReader, before: number): { stored: Uint8Array; unstored: Uint8Array } {
  for (let skip = before * 2; skip > 0; skip--) reader.skip(reader.varint());
  return nextRecord(reader);
}

function nextRecord(reader: ByteReader): { stored: Uint8Array; unstored: Uint8Array } {
  const stored = reader.bytes(reader.varint());
  return { stored, unstored: reader.bytes(reader.varint()) };
}
