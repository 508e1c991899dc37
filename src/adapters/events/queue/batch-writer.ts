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
  async append(payload: Buffer, eventCount: number): Promise<void> {
    const header = this.#codec.encode(this.#length, {
      payloadLength: payload.length,
      eventCount,
      payloadCrc: crc32(payload),
      syncedLength: this.#syncedLength,
    });
    await writeWhole(this.#file, Buffer.concat([header, payload]), this.#length);
    await this.#file.datasync();
    this.#length += header.length + payload.length;
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

async function writeWhole(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}
