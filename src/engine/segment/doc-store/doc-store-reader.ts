import { ByteReader, decodeUtf8 } from "../../bytes/byte-reader.js";
import { crc32 } from "../../bytes/crc32.js";
import { decompressLz4 } from "../../bytes/lz4.js";
import { MalformedBytesError, readingFile } from "../../bytes/malformed-bytes-error.js";
import type { RandomAccessFile } from "../../directory/directory.js";
import { BlockCache } from "./block-cache.js";
import {
  BLOCK_HEADER_LENGTH,
  CODEC_LZ4,
  CODEC_RAW,
  DOC_STORE_MAGIC,
  DOC_STORE_VERSION,
  FOOTER_CHECKED_LENGTH,
  FOOTER_LENGTH,
  HEADER_LENGTH,
} from "./doc-store-format.js";

/** Takes a document's two parts as UTF-8 bytes. */
export type DocumentVisitor = (docId: number, stored: Uint8Array, unstored: Uint8Array) => void;

/** Decoded blocks that a reader keeps. */
const CACHED_BLOCKS = 8;
const CACHED_BYTES = 256 * 1024;

/**
 * Documents of one segment by doc id, read from a document store file (FORMAT.md): one positional
 * read, one checksum and one decompression of about 8 KiB, unless the block was among the last read.
 * Only the block index, 8 bytes per block, is kept in memory.
 */
export class DocStoreReader {
  /** Documents in the store, deleted ones included: doc ids 0 to `docCount - 1`. */
  readonly docCount: number;
  readonly blockCount: number;
  readonly #file: RandomAccessFile;
  readonly #firstDocs: Uint32Array;
  /** Offset of each block in the file, and of the end of the last. */
  readonly #offsets: Float64Array;
  readonly #cache = new BlockCache(CACHED_BLOCKS, CACHED_BYTES);

  private constructor(
    file: RandomAccessFile,
    docCount: number,
    firstDocs: Uint32Array,
    offsets: Float64Array,
  ) {
    this.#file = file;
    this.docCount = docCount;
    this.blockCount = firstDocs.length;
    this.#firstDocs = firstDocs;
    this.#offsets = offsets;
  }

  /**
   * Checks all but the blocks. The file belongs to the reader from now on.
   * @throws CorruptionError naming the file
   */
  static open(file: RandomAccessFile): DocStoreReader {
    return readingFile(file.name, () => {
      if (file.size < HEADER_LENGTH + FOOTER_LENGTH) {
        throw new MalformedBytesError(`it is cut: ${file.size} bytes are too few for a document store`);
      }
      checkHeader(new ByteReader(file.read(0, HEADER_LENGTH)));
      const footer = readFooter(file);
      const indexLength = footer.blockCount * 8;
      const indexStart = file.size - FOOTER_LENGTH - indexLength;
      if (indexStart < HEADER_LENGTH)
        throw new MalformedBytesError("its block index is longer than the file");
      const index = file.read(indexStart, indexLength);
      if (crc32(index) !== footer.indexCrc)
        throw new MalformedBytesError("its block index fails the checksum");

      const firstDocs = new Uint32Array(footer.blockCount);
      const offsets = new Float64Array(footer.blockCount + 1);
      const reader = new ByteReader(index);
      for (let block = 0; block < footer.blockCount; block++) firstDocs[block] = reader.u32();
      offsets[0] = HEADER_LENGTH;
      for (let block = 0; block < footer.blockCount; block++)
        offsets[block + 1] = offsets[block]! + reader.u32();
      checkIndex(firstDocs, offsets, footer.docCount, indexStart);
      return new DocStoreReader(file, footer.docCount, firstDocs, offsets);
    });
  }

  /** The stored fields of a document as JSON text. @throws CorruptionError naming the file */
  storedJson(docId: number): string {
    return readingFile(this.#file.name, () => decodeUtf8(this.#record(docId).stored));
  }

  /** The fields of a document that aren't stored, as JSON text. @throws CorruptionError naming the file */
  unstoredJson(docId: number): string {
    return readingFile(this.#file.name, () => decodeUtf8(this.#record(docId).unstored));
  }

  /**
   * A document's two parts as UTF-8 bytes, not to be changed.
   * @throws CorruptionError naming the file; RangeError if `docId` is not below `docCount`
   */
  read(docId: number): { readonly stored: Uint8Array; readonly unstored: Uint8Array } {
    return readingFile(this.#file.name, () => this.#record(docId));
  }

  /**
   * Visits all documents, deleted ones included, in doc id order, one block in memory at a time. The
   * bytes stay valid after the visit and must not be changed.
   * @throws CorruptionError naming the file
   */
  forEach(visit: DocumentVisitor): void {
    for (let block = 0; block < this.blockCount; block++) this.forEachOfBlock(block, visit);
  }

  /** As `forEach`, for the documents of one block. */
  forEachOfBlock(block: number, visit: DocumentVisitor): void {
    const reader = new ByteReader(this.#decode(block));
    const end = this.blockEndDoc(block);
    for (let docId = this.#firstDocs[block]!; docId < end; docId++) {
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
    this.#cache.clear();
    this.#file.close();
  }

  /** First doc id of a block; for copying whole blocks, as are the next two. */
  blockFirstDoc(block: number): number {
    return this.#firstDocs[block]!;
  }

  /** Doc id after a block's last. */
  blockEndDoc(block: number): number {
    return block + 1 < this.blockCount ? this.#firstDocs[block + 1]! : this.docCount;
  }

  /** A block as it is in the file, header included, its checksum verified. @throws CorruptionError naming the file */
  readBlockBytes(block: number): Uint8Array {
    const offset = this.#offsets[block]!;
    const bytes = this.#file.read(offset, this.#offsets[block + 1]! - offset);
    return readingFile(this.#file.name, () => {
      const expected = new ByteReader(bytes, 8).u32();
      const actual = crc32(bytes.subarray(BLOCK_HEADER_LENGTH), crc32(bytes.subarray(0, 8)));
      if (actual !== expected)
        throw new MalformedBytesError(`the block at byte ${offset} fails its checksum`);
      return bytes;
    });
  }

  #record(docId: number): { readonly stored: Uint8Array; readonly unstored: Uint8Array } {
    if (!(docId >= 0 && docId < this.docCount))
      throw new RangeError(`there is no document ${docId} in '${this.#file.name}'`);
    const block = this.#blockOf(docId);
    let raw = this.#cache.get(block);
    if (raw === undefined) {
      raw = this.#decode(block);
      this.#cache.set(block, raw);
    }
    const reader = new ByteReader(raw);
    for (let skip = docId - this.#firstDocs[block]!; skip > 0; skip--) {
      reader.skip(reader.varint());
      reader.skip(reader.varint());
    }
    return nextRecord(reader);
  }

  /** The last block whose first document is at or before `docId`. */
  #blockOf(docId: number): number {
    const firstDocs = this.#firstDocs;
    let low = 0;
    let high = firstDocs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (firstDocs[middle]! <= docId) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #decode(block: number): Uint8Array {
    const bytes = this.readBlockBytes(block);
    return readingFile(this.#file.name, () => {
      const header = new ByteReader(bytes);
      const codec = header.u32();
      const rawLength = header.u32();
      const payload = bytes.subarray(BLOCK_HEADER_LENGTH);
      if (codec === CODEC_RAW && payload.length === rawLength) return payload;
      if (codec !== CODEC_LZ4) throw new MalformedBytesError(`block ${block} has an unknown codec`);
      // LZ4 expands a byte to 255 at most, so a greater length can't be true and needn't be allocated.
      if (rawLength > payload.length * 255)
        throw new MalformedBytesError(`block ${block} has a wrong length`);
      const raw = new Uint8Array(rawLength);
      decompressLz4(payload, raw);
      return raw;
    });
  }
}

function nextRecord(reader: ByteReader): { stored: Uint8Array; unstored: Uint8Array } {
  const stored = reader.bytes(reader.varint());
  return { stored, unstored: reader.bytes(reader.varint()) };
}

function checkHeader(header: ByteReader): void {
  if (header.u32() !== DOC_STORE_MAGIC)
    throw new MalformedBytesError("it doesn't start as a document store does");
  checkVersion(header.u32());
}

function checkVersion(version: number): void {
  if (version !== DOC_STORE_VERSION) {
    throw new MalformedBytesError(
      `it has version ${version}, this program reads version ${DOC_STORE_VERSION}`,
    );
  }
}

function readFooter(file: RandomAccessFile): { indexCrc: number; blockCount: number; docCount: number } {
  const bytes = file.read(file.size - FOOTER_LENGTH, FOOTER_LENGTH);
  const reader = new ByteReader(bytes);
  const footer = { indexCrc: reader.u32(), blockCount: reader.u32(), docCount: reader.u32() };
  const fileLength = reader.u32() + reader.u32() * 2 ** 32;
  const version = reader.u32();
  if (crc32(bytes.subarray(0, FOOTER_CHECKED_LENGTH)) !== reader.u32() || reader.u32() !== DOC_STORE_MAGIC) {
    throw new MalformedBytesError("it is cut or its end is flipped: the footer fails the checksum");
  }
  checkVersion(version);
  if (fileLength !== file.size)
    throw new MalformedBytesError(`it has ${file.size} bytes and should have ${fileLength}`);
  return footer;
}

function checkIndex(
  firstDocs: Uint32Array,
  offsets: Float64Array,
  docCount: number,
  indexStart: number,
): void {
  const blockCount = firstDocs.length;
  const problem = "its block index contradicts itself";
  if (offsets[blockCount] !== indexStart || (blockCount === 0) !== (docCount === 0)) {
    throw new MalformedBytesError(problem);
  }
  for (let block = 0; block < blockCount; block++) {
    const end = block + 1 < blockCount ? firstDocs[block + 1]! : docCount;
    if (firstDocs[block]! >= end || offsets[block + 1]! - offsets[block]! < BLOCK_HEADER_LENGTH) {
      throw new MalformedBytesError(problem);
    }
  }
  if (blockCount > 0 && firstDocs[0] !== 0) throw new MalformedBytesError(problem);
}
