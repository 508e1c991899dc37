import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { encodeFileHeader, HEADER_LENGTH, RecordHeaderCodec } from "./batch-format.js";

/** Appends groups of events to one new file. Calls must not overlap. */
export class BatchWriter {
  readonly #file: FileHandle;
  readonly #codec: RecordHeaderCodec;
  #length: number = HEADER_LENGTH;
  #syncedLength = 0;
  #eventCount = 0;

  private constructor(file: FileHandle, batchId: string) {
    this.#file = file;
    this.#codec = new RecordHeaderCodec(batchId);
  }

  /** The file must be new; it outlives a crash of the machine once its folder is synced. */
  static async create(path: string, batchId: string): Promise<BatchWriter> {
    const file = await open(path, "wx", 0o600);
    try {
      await writeWhole(file, encodeFileHeader(batchId), 0);
      return new BatchWriter(file, batchId);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Bytes that are durable. */
  get syncedLength(): number {
    return this.#syncedLength;
  }

  /** Durable events. */
  get eventCount(): number {
    return this.#eventCount;
  }

  /** Resolves once the group is durable. After it has thrown, only `abandon` may be called. */
  async append(payload: readonly Buffer[], eventCount: number): Promise<void> {
    let payloadLength = 0;
    let payloadCrc = 0;
    for (const bytes of payload) {
      payloadLength += bytes.length;
      payloadCrc = crc32(bytes, payloadCrc);
    }
    const header = this.#codec.encode(this.#length, {
      payloadLength,
      eventCount,
      payloadCrc,
      syncedLength: this.#syncedLength,
    });
    await writePieces(this.#file, [header, ...payload], this.#length);
    await this.#file.datasync();
    this.#length += header.length + payloadLength;
    this.#syncedLength = this.#length;
    this.#eventCount += eventCount;
  }

  /**
   * Marks the file as whole and closes it. The mark is not synced: if it is lost with the machine,
   * the next start makes the same file of what was synced.
   */
  async seal(): Promise<number> {
    const mark = sealRecord(this.#codec, this.#length, this.#syncedLength);
    await writeWhole(this.#file, mark, this.#length);
    await this.#file.close();
    return this.#length + mark.length;
  }

  /** Closes the file as it is. */
  async abandon(): Promise<void> {
    await this.#file.close();
  }
}

/** Cuts off what was never acknowledged and marks the rest as whole. @returns the file's length */
export async function mendBatch(path: string, batchId: string, length: number): Promise<number> {
  const file = await open(path, "r+");
  try {
    const mark = sealRecord(new RecordHeaderCodec(batchId), length, length);
    await file.truncate(length);
    await writeWhole(file, mark, length);
    await file.sync();
    return length + mark.length;
  } finally {
    await file.close();
  }
}

function sealRecord(codec: RecordHeaderCodec, offset: number, syncedLength: number): Buffer {
  return codec.encode(offset, { payloadLength: 0, eventCount: 0, payloadCrc: 0, syncedLength });
}

/** One behind the other, without a copy of them all. */
async function writePieces(file: FileHandle, pieces: readonly Buffer[], position: number): Promise<void> {
  let { bytesWritten } = await file.writev(pieces, position);
  // What the system didn't take at once.
  let at = position;
  for (const piece of pieces) {
    const taken = Math.min(bytesWritten, piece.length);
    if (taken < piece.length) await writeWhole(file, piece.subarray(taken), at + taken);
    bytesWritten -= taken;
    at += piece.length;
  }
}

async function writeWhole(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}
