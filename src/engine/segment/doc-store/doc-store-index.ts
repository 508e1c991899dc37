import { ByteReader } from "../../bytes/byte-reader.js";
import { crc32 } from "../../bytes/crc32.js";
import { type FileOwner, ownerAt, ownerBytes } from "../../bytes/file-owner.js";
import { MalformedBytesError } from "../../bytes/malformed-bytes-error.js";
import type { RandomAccessFile } from "../../directory/directory.js";
import {
  BLOCK_HEADER_LENGTH,
  DOC_STORE_MAGIC,
  DOC_STORE_VERSION,
  FOOTER_CHECKED_LENGTH,
  FOOTER_LENGTH,
  HEADER_LENGTH,
  OWNER_OFFSET,
  UNBOUND_DOC_STORE_VERSION,
  UNBOUND_HEADER_LENGTH,
} from "./doc-store-format.js";

/** A `DocStoreIndex` as plain data over shared memory. */
export interface SharedDocStoreIndex {
  /** The segment that the file says it belongs to; null if it was written before files said so. */
  readonly owner: FileOwner | null;
  readonly docCount: number;
  readonly firstDocs: Uint32Array;
  /** Offset of each block in the file, and of the end of the last. */
  readonly offsets: Float64Array;
}

/** Which block of a document store holds which documents, and where it is: 12 bytes per block in memory. */
export class DocStoreIndex {
  readonly owner: FileOwner | null;
  readonly docCount: number;
  readonly blockCount: number;
  readonly #firstDocs: Uint32Array;
  readonly #offsets: Float64Array;

  /** An index that was read before, in this thread or in another. */
  constructor({ owner, docCount, firstDocs, offsets }: SharedDocStoreIndex) {
    this.owner = owner;
    this.docCount = docCount;
    this.blockCount = firstDocs.length;
    this.#firstDocs = firstDocs;
    this.#offsets = offsets;
  }

  /** Checks all of the file but its blocks. @throws MalformedBytesError */
  static read(file: RandomAccessFile): DocStoreIndex {
    if (file.size < UNBOUND_HEADER_LENGTH + FOOTER_LENGTH) {
      throw new MalformedBytesError(`it is cut: ${file.size} bytes are too few for a document store`);
    }
    const owner = readHeader(file);
    const headerLength = owner === null ? UNBOUND_HEADER_LENGTH : HEADER_LENGTH;
    const footer = readFooter(file, owner);
    const indexLength = footer.blockCount * 8;
    const indexStart = file.size - FOOTER_LENGTH - indexLength;
    if (indexStart < headerLength) throw new MalformedBytesError("its block index is longer than the file");
    const index = file.read(indexStart, indexLength);
    if (crc32(index) !== footer.indexCrc) throw new MalformedBytesError("its block index fails the checksum");

    const firstDocs = new Uint32Array(new SharedArrayBuffer(footer.blockCount * 4));
    const offsets = new Float64Array(new SharedArrayBuffer((footer.blockCount + 1) * 8));
    const reader = new ByteReader(index);
    for (let block = 0; block < footer.blockCount; block++) firstDocs[block] = reader.u32();
    offsets[0] = headerLength;
    for (let block = 0; block < footer.blockCount; block++)
      offsets[block + 1] = offsets[block]! + reader.u32();
    checkIndex(firstDocs, offsets, footer.docCount, indexStart);
    return new DocStoreIndex({ owner, docCount: footer.docCount, firstDocs, offsets });
  }

  get shared(): SharedDocStoreIndex {
    return { owner: this.owner, docCount: this.docCount, firstDocs: this.#firstDocs, offsets: this.#offsets };
  }

  /**
   * The block with a document, from 0 to `docCount - 1`: the last whose first document is at or before it. Looked for
   * around where it were if all blocks had as many documents, as each step far away is a load from memory.
   */
  blockOf(docId: number): number {
    const firstDocs = this.#firstDocs;
    const blockCount = firstDocs.length;
    // firstDocs[low] is at or before the document, firstDocs[end] behind it, or there is none.
    let low = Math.floor((docId / this.docCount) * blockCount);
    let end = low + 1;
    for (let step = 1; firstDocs[low]! > docId; step *= 2) {
      end = low;
      low = Math.max(0, low - step);
    }
    for (let step = 1; end < blockCount && firstDocs[end]! <= docId; step *= 2) {
      low = end;
      end += step;
    }
    end = Math.min(end, blockCount);
    while (end - low > 1) {
      const middle = (low + end) >>> 1;
      if (firstDocs[middle]! <= docId) low = middle;
      else end = middle;
    }
    return low;
  }

  firstDoc(block: number): number {
    return this.#firstDocs[block]!;
  }

  /** Doc id after a block's last. */
  endDoc(block: number): number {
    return block + 1 < this.blockCount ? this.#firstDocs[block + 1]! : this.docCount;
  }

  /** Where a block is in the file. */
  offset(block: number): number {
    return this.#offsets[block]!;
  }

  /** How long a block is in the file, header included. */
  length(block: number): number {
    return this.#offsets[block + 1]! - this.#offsets[block]!;
  }
}

/** @returns the segment that the file belongs to; its checksum is the footer's */
function readHeader(file: RandomAccessFile): FileOwner | null {
  const header = file.read(0, Math.min(HEADER_LENGTH, file.size));
  const reader = new ByteReader(header);
  if (reader.u32() !== DOC_STORE_MAGIC)
    throw new MalformedBytesError("it doesn't start as a document store does");
  const version = reader.u32();
  if (version === UNBOUND_DOC_STORE_VERSION) return null;
  if (version === DOC_STORE_VERSION && header.length === HEADER_LENGTH) return ownerAt(header, OWNER_OFFSET);
  throw new MalformedBytesError(
    `it has version ${version}, this program reads version ${UNBOUND_DOC_STORE_VERSION} and ${DOC_STORE_VERSION}`,
  );
}

function readFooter(
  file: RandomAccessFile,
  owner: FileOwner | null,
): { indexCrc: number; blockCount: number; docCount: number } {
  const ownerCrc = owner === null ? 0 : crc32(ownerBytes(owner));
  const bytes = file.read(file.size - FOOTER_LENGTH, FOOTER_LENGTH);
  const reader = new ByteReader(bytes);
  const footer = { indexCrc: reader.u32(), blockCount: reader.u32(), docCount: reader.u32() };
  const fileLength = reader.u32() + reader.u32() * 2 ** 32;
  const version = reader.u32();
  if (
    crc32(bytes.subarray(0, FOOTER_CHECKED_LENGTH), ownerCrc) !== reader.u32() ||
    reader.u32() !== DOC_STORE_MAGIC
  ) {
    throw new MalformedBytesError("it is cut or its end is flipped: the footer fails the checksum");
  }
  if (version !== (owner === null ? UNBOUND_DOC_STORE_VERSION : DOC_STORE_VERSION))
    throw new MalformedBytesError(`its footer says version ${version}, its header another one`);
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
