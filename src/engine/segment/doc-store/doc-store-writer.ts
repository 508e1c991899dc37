import { ByteWriter } from "../../bytes/byte-writer.js";
import { crc32, crc32OfFew } from "../../bytes/crc32.js";
import { type FileOwner, newOwner, ownerBytes } from "../../bytes/file-owner.js";
import { lz4Bound } from "../../bytes/lz4.js";
import { mappedBytes } from "../../bytes/mapped-bytes.js";
import { releaseBuffer } from "../../bytes/release-buffer.js";
import { blockCompressorOfThread } from "../../kernels/block-compressor.js";
import type { SlicedWork } from "../sliced-work.js";
import {
  BLOCK_HEADER_LENGTH,
  BLOCK_LENGTH,
  CODEC_LZ4,
  CODEC_RAW,
  DOC_STORE_MAGIC,
  DOC_STORE_VERSION,
  FOOTER_CHECKED_LENGTH,
  HEADER_LENGTH,
} from "./doc-store-format.js";
import type { DocStoreReader } from "./doc-store-reader.js";

/** Blocks are gathered into chunks of about this many bytes. */
const CHUNK_LENGTH = 256 * 1024;

/** Blocks copied between two pauses; a power of two. */
const BLOCKS_PER_STEP = 64;

/** Raw bytes of an open block that are worth a block of their own, where whole blocks come next. */
const BLOCK_LENGTH_MIN = BLOCK_LENGTH / 2;

/**
 * Makes a document store file (FORMAT.md), one document after the other in doc id order. Holds in memory
 * at most one block of raw text, 12 bytes a block, and what has been compressed since chunks were taken.
 */
export class DocStoreWriter {
  /** The segment that the file says it belongs to, and no other file but those beside it. */
  readonly owner: FileOwner;
  readonly #compressor = blockCompressorOfThread();
  /** Records of the block being filled. */
  readonly #raw = new ByteWriter(BLOCK_LENGTH * 2);
  /** The header of the block that ends. */
  readonly #header = new ByteWriter(BLOCK_HEADER_LENGTH);
  readonly #blockFirstDocs = new ByteWriter(1024);
  readonly #blockLengths = new ByteWriter(1024);
  #chunks: Uint8Array[] = [];
  #chunk: Uint8Array = mappedBytes(CHUNK_LENGTH);
  #chunkUsed = 0;
  /** Bytes in finished chunks. */
  #chunkedLength = 0;
  #blockCount = 0;
  #docCount = 0;
  /** First doc id of the block being filled. */
  #blockFirstDoc = 0;

  constructor(owner: FileOwner = newOwner()) {
    this.owner = owner;
    const header = new ByteWriter(HEADER_LENGTH);
    header.u32(DOC_STORE_MAGIC);
    header.u32(DOC_STORE_VERSION);
    header.bytes(ownerBytes(this.owner));
    this.#emit(header.view());
  }

  /** Documents appended. */
  get docCount(): number {
    return this.#docCount;
  }

  /** Bytes of the file so far, taken chunks included, and of the open block. */
  get byteLength(): number {
    return this.#chunkedLength + this.#chunkUsed + this.#raw.length;
  }

  /**
   * Appends the document with the next doc id. JSON as text or as its UTF-8 bytes, which are copied.
   *
   * @param lengthMax raw bytes at which the block is closed
   */
  append(
    storedJson: Uint8Array | string,
    unstoredJson: Uint8Array | string,
    lengthMax: number = BLOCK_LENGTH,
  ): void {
    const size = storedJson.length + unstoredJson.length;
    if (size >= BLOCK_LENGTH) this.closeBlock();
    putJson(this.#raw, storedJson);
    putJson(this.#raw, unstoredJson);
    this.#docCount++;
    if (this.#raw.length >= lengthMax) this.closeBlock();
  }

  /** Appends all documents of another store, deleted ones included, without decompressing them. */
  *appendAll(reader: DocStoreReader): SlicedWork {
    for (let block = 0; block < reader.blockCount; block++) {
      this.appendBlock(reader.readBlockBytes(block), reader.blockEndDoc(block) - reader.blockFirstDoc(block));
      if ((block & (BLOCKS_PER_STEP - 1)) === 0) yield;
    }
  }

  /** Whether a block can be appended as it is, without leaving a small one behind. */
  get takesBlock(): boolean {
    return this.#raw.length === 0 || this.#raw.length >= BLOCK_LENGTH_MIN;
  }

  /** Appends a block of another store as it lies in the file, with all its documents. */
  appendBlock(bytes: Uint8Array, documents: number): void {
    this.closeBlock();
    this.#addBlock(bytes.length);
    this.#emit(bytes);
    this.#docCount += documents;
    this.#blockFirstDoc = this.#docCount;
  }

  /** The file's bytes so far that are in whole chunks, in order, but for those that were taken before. */
  takeChunks(): readonly Uint8Array[] {
    const chunks = this.#chunks;
    if (chunks.length > 0) this.#chunks = [];
    return chunks;
  }

  /** The file's bytes that haven't been taken, in order. The writer is of no use afterwards. */
  finish(): Uint8Array[] {
    this.closeBlock();
    const end = new ByteWriter(this.#blockCount * 8 + 64);
    end.bytes(this.#blockFirstDocs.view());
    end.bytes(this.#blockLengths.view());
    const footer = end.length;
    end.u32(crc32(end.view()));
    end.u32(this.#blockCount);
    end.u32(this.#docCount);
    const fileLength = this.#chunkedLength + this.#chunkUsed + footer + FOOTER_CHECKED_LENGTH + 8;
    end.u32(fileLength % 2 ** 32);
    end.u32(Math.floor(fileLength / 2 ** 32));
    end.u32(DOC_STORE_VERSION);
    end.u32(crc32(end.view().subarray(footer), crc32(ownerBytes(this.owner))));
    end.u32(DOC_STORE_MAGIC);
    this.#emit(end.view());
    this.#finishChunk();
    return this.#chunks;
  }

  /**
   * Gives back the memory of all that hasn't been taken, what `finish` returned included: nobody may be reading
   * it. The writer is of no use afterwards.
   */
  release(): void {
    for (const chunk of this.#chunks) releaseBuffer(chunk.buffer);
    releaseBuffer(this.#chunk.buffer);
    releaseBuffer(this.#raw.view().buffer);
  }

  /** Begins a new block with the next document. */
  closeBlock(): void {
    const raw = this.#raw.view();
    if (raw.length === 0) return;
    this.#makeRoom(BLOCK_HEADER_LENGTH + lz4Bound(raw.length));
    const chunk = this.#chunk;
    const start = this.#chunkUsed;
    const payload = start + BLOCK_HEADER_LENGTH;
    let end = this.#compressor.compress(raw, chunk, payload);
    let codec = CODEC_LZ4;
    if (end - payload >= raw.length) {
      codec = CODEC_RAW;
      chunk.set(raw, payload);
      end = payload + raw.length;
    }
    this.#endBlock(codec, raw.length, end - payload);
    this.#raw.clear();
  }

  /** Puts the header before a block's payload, which stands in the chunk already. */
  #endBlock(codec: number, rawLength: number, payloadLength: number): void {
    const chunk = this.#chunk;
    const start = this.#chunkUsed;
    const payload = start + BLOCK_HEADER_LENGTH;
    const end = payload + payloadLength;
    const header = this.#header;
    header.clear();
    header.u32(codec);
    header.u32(rawLength);
    header.u32(crc32(chunk.subarray(payload, end), crc32OfFew(header.view(), 0, header.length)));
    chunk.set(header.view(), start);
    this.#chunkUsed = end;
    this.#addBlock(end - start);
    this.#blockFirstDoc = this.#docCount;
  }

  #addBlock(length: number): void {
    this.#blockFirstDocs.u32(this.#blockFirstDoc);
    this.#blockLengths.u32(length);
    this.#blockCount++;
  }

  #emit(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#chunk.set(bytes, this.#chunkUsed);
    this.#chunkUsed += bytes.length;
  }

  /** Makes sure that the chunk being filled can take `length` more bytes. */
  #makeRoom(length: number): void {
    if (this.#chunkUsed + length <= this.#chunk.length) return;
    this.#finishChunk();
    this.#chunk = mappedBytes(Math.max(CHUNK_LENGTH, length));
    this.#chunkUsed = 0;
  }

  #finishChunk(): void {
    if (this.#chunkUsed === 0) return;
    // A chunk made for a large block may be mostly empty: then keep only what is used.
    const used = this.#chunk.subarray(0, this.#chunkUsed);
    const { buffer, length } = this.#chunk;
    if (used.length * 2 < length) {
      this.#chunks.push(used.slice());
      releaseBuffer(buffer);
    } else {
      this.#chunks.push(used);
    }
    this.#chunkedLength += this.#chunkUsed;
    this.#chunkUsed = 0;
  }
}

function putJson(raw: ByteWriter, json: Uint8Array | string): void {
  if (typeof json === "string") {
    raw.utf8(json);
  } else {
    raw.varint(json.length);
    raw.bytes(json);
  }
}
