import { CorruptionError } from "../../errors/index.js";
import { crc32 } from "../bytes/crc32.js";
import { hexOf } from "../bytes/file-owner.js";
import type { Directory, RandomAccessFile } from "../directory/directory.js";
import {
  decodeFileHeader,
  FILE_HEADER_LENGTH,
  type FileHeader,
  LENGTH_UNIT,
  MARK_KIND,
  RECORD_ALIGNMENT,
  RECORD_HEADER_LENGTH,
  RECORD_MAGIC,
  type RecordHeader,
  RecordHeaderCodec,
  recordLength,
  recordPadding,
} from "./journal-format.js";

/** One write as it was appended. */
export interface JournalEntry {
  /** What the caller gave it: 1 to 255. */
  readonly kind: number;
  /** A view, to be read and not changed. It keeps up to 256 KiB around it alive: copy what you keep. */
  readonly payload: Uint8Array;
}

/** What a journal file holds besides its entries. */
export interface JournalContents {
  readonly generation: number;
  readonly salt: Uint8Array;
  readonly entryCount: number;
  /** Offset after the last whole record. */
  readonly end: number;
  /** Offset before which everything is known to have been synced. */
  readonly syncedThrough: number;
  /** Offset after the last entry: above `syncedThrough` if some may not be durable. */
  readonly entriesEnd: number;
  /** Offset after the last byte that isn't 0; above `end` if a write was interrupted. */
  readonly used: number;
  /** The greatest file length that is known to have been durable. */
  readonly durableLength: number;
}

const WINDOW_LENGTH = 256 * 1024;

/**
 * Reads a journal file without changing it and hands over its entries in order, one at a time: at
 * most one payload and a window of 256 KiB are in memory. Entries are handed over before the rest of
 * the file is checked, so after an error the caller drops what it made of them.
 * @param salt in hex digits, that the file must have: no two journals have the same; null: any
 * @throws CorruptionError naming the file if it is cut, if it is another one, or if something in it that was synced is
 *   damaged
 */
export async function readJournal(
  directory: Directory,
  name: string,
  replay: (entry: JournalEntry) => void | Promise<void>,
  salt: string | null = null,
): Promise<JournalContents> {
  const file = await directory.open(name);
  try {
    const { size } = file;
    if (size === 0 || size % LENGTH_UNIT !== 0) {
      throw new CorruptionError(
        file.name,
        `it is cut: its length, ${size} bytes, is no multiple of ${LENGTH_UNIT}`,
      );
    }
    const header = decodeFileHeader(file.read(0, FILE_HEADER_LENGTH));
    if (typeof header === "string") throw new CorruptionError(file.name, header);
    if (salt !== null && hexOf(header.salt) !== salt)
      throw new CorruptionError(
        file.name,
        `it is another journal: its salt is ${hexOf(header.salt)}, the commit point names ${salt}; put back the file that was here`,
      );
    return await new JournalScan(file, header).run(replay);
  } finally {
    file.close();
  }
}

/**
 * Kinds of a journal's entries in their order, from their headers alone: payloads aren't read, and nothing is
 * checked that they don't say. For a look; what is to be replayed is read by `readJournal`.
 */
export async function kindsInJournal(directory: Directory, name: string): Promise<readonly number[]> {
  const file = await directory.open(name);
  try {
    const kinds: number[] = [];
    const header = decodeFileHeader(file.read(0, FILE_HEADER_LENGTH));
    if (typeof header === "string") return kinds;
    const codec = new RecordHeaderCodec(header.salt);
    let offset = FILE_HEADER_LENGTH;
    while (offset + RECORD_HEADER_LENGTH <= file.size) {
      const record = codec.decode(offset, file.read(offset, RECORD_HEADER_LENGTH));
      if (record === null) break;
      if (record.kind !== MARK_KIND) kinds.push(record.kind);
      offset += recordLength(record.payloadLength);
    }
    return kinds;
  } finally {
    file.close();
  }
}

class JournalScan {
  readonly #file: RandomAccessFile;
  readonly #fileHeader: FileHeader;
  readonly #codec: RecordHeaderCodec;
  #window: Uint8Array = new Uint8Array(0);
  #windowStart = 0;
  // The file is created whole and synced, header and first 64 KiB.
  #syncedThrough = FILE_HEADER_LENGTH;
  #durableLength = LENGTH_UNIT;

  constructor(file: RandomAccessFile, fileHeader: FileHeader) {
    this.#file = file;
    this.#fileHeader = fileHeader;
    this.#codec = new RecordHeaderCodec(fileHeader.salt);
  }

  async run(replay: (entry: JournalEntry) => void | Promise<void>): Promise<JournalContents> {
    const { name, size } = this.#file;
    let entryCount = 0;
    let entriesEnd = FILE_HEADER_LENGTH;
    let end = FILE_HEADER_LENGTH;
    for (let record = this.#wholeRecordAt(end); record !== null; record = this.#wholeRecordAt(end)) {
      this.#note(record.header);
      end += recordLength(record.payload.length);
      if (record.header.kind === MARK_KIND) continue;
      entryCount++;
      entriesEnd = end;
      await replay({ kind: record.header.kind, payload: record.payload });
    }
    const used = this.#searchAfter(end);
    if (this.#syncedThrough > end) {
      throw new CorruptionError(
        name,
        `the record at byte ${end} is flipped or overwritten, and it was synced once`,
      );
    }
    if (this.#durableLength > size) {
      throw new CorruptionError(name, `it is cut: it has ${size} bytes and had ${this.#durableLength}`);
    }
    return {
      generation: this.#fileHeader.generation,
      salt: this.#fileHeader.salt,
      entryCount,
      end,
      syncedThrough: this.#syncedThrough,
      entriesEnd,
      used,
      durableLength: this.#durableLength,
    };
  }

  #note(header: RecordHeader): void {
    this.#syncedThrough = Math.max(this.#syncedThrough, header.syncedThrough);
    this.#durableLength = Math.max(this.#durableLength, header.durableLength);
  }

  #wholeRecordAt(offset: number): { readonly header: RecordHeader; readonly payload: Uint8Array } | null {
    const header = this.#headerAt(offset);
    if (header === null) return null;
    const length = recordLength(header.payloadLength);
    if (offset + length > this.#file.size) return null;
    const body = this.#bytes(offset + RECORD_HEADER_LENGTH, length - RECORD_HEADER_LENGTH);
    const payload = body.subarray(0, header.payloadLength);
    const padding = recordPadding(header.payloadLength);
    if (crc32(payload) !== header.payloadCrc) return null;
    for (let index = 0; index < padding.length; index++) {
      if (body[payload.length + index] !== padding[index]) return null;
    }
    return { header, payload };
  }

  #headerAt(offset: number): RecordHeader | null {
    if (offset + RECORD_HEADER_LENGTH > this.#file.size) return null;
    return this.#codec.decode(offset, this.#bytes(offset, RECORD_HEADER_LENGTH));
  }

  /**
   * Notes every record header after `end`: even if its payload was never written, the header itself
   * was, and what it says was true then. Returns the offset after the last byte that isn't 0.
   */
  #searchAfter(end: number): number {
    let used = end;
    for (let start = end; start < this.#file.size; start += WINDOW_LENGTH) {
      const length = Math.min(WINDOW_LENGTH, this.#file.size - start);
      // Records and windows start at multiples of 8 in the file, but maybe not in the memory of the view.
      const words = new Int32Array(this.#bytes(start, length).slice().buffer);
      for (let word = 0; word < words.length; word++) {
        if (words[word] === 0) continue;
        const offset = start + word * 4;
        used = offset + 4;
        if (words[word] !== (RECORD_MAGIC | 0) || offset % RECORD_ALIGNMENT !== 0) continue;
        const header = this.#headerAt(offset);
        if (header !== null) this.#note(header);
      }
    }
    return used;
  }

  /** A view of the file's bytes, valid for good: windows are never reused. */
  #bytes(offset: number, length: number): Uint8Array {
    if (offset < this.#windowStart || offset + length > this.#windowStart + this.#window.length) {
      this.#window = this.#file.read(
        offset,
        Math.min(Math.max(length, WINDOW_LENGTH), this.#file.size - offset),
      );
      this.#windowStart = offset;
    }
    return this.#window.subarray(offset - this.#windowStart, offset - this.#windowStart + length);
  }
}

/**
 * The records that no sync vouches for. After a sync that failed they can be in memory only, without
 * the system knowing: only writing them again makes the next sync carry them to the disk.
 */
export async function readUnsyncedTail(
  directory: Directory,
  name: string,
  contents: JournalContents,
): Promise<Uint8Array | null> {
  if (contents.entriesEnd <= contents.syncedThrough) return null;
  const file = await directory.open(name);
  try {
    return file.read(contents.syncedThrough, contents.end - contents.syncedThrough);
  } finally {
    file.close();
  }
}
