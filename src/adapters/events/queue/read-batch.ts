import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { CorruptionError } from "../../../errors/index.js";
import {
  findHeaderProblem,
  HEADER_LENGTH,
  RECORD_HEADER_LENGTH,
  RECORD_MAGIC_BYTES,
  RecordHeaderCodec,
} from "./batch-format.js";

/** What a file of waiting events holds. */
export interface Batch {
  readonly id: string;
  /** Lines of JSON, each ending in a line feed. */
  readonly rows: readonly Buffer[];
  readonly eventCount: number;
  /** Whether its writer was done with it; if not, what follows `length` was never acknowledged. */
  readonly isSealed: boolean;
  /** Bytes of the file up to the end of the last whole record. */
  readonly length: number;
}

/**
 * Reads the whole file. The tail of an unsealed one may be torn, which is no error.
 *
 * @throws CorruptionError if bytes that were durable are not as they were written, or the file is gone
 */
export async function readBatch(path: string, batchId: string): Promise<Batch> {
  const file = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT" ? new CorruptionError(path, "it is missing") : error;
  });
  const codec = new RecordHeaderCodec(batchId);
  const headerProblem = findHeaderProblem(file, batchId);
  if (headerProblem !== null) {
    const isTorn = file.subarray(0, HEADER_LENGTH).every((byte) => byte === 0) || file.length < HEADER_LENGTH;
    if (!isTorn || isSyncedBeyond(file, codec, 0)) throw new CorruptionError(path, headerProblem);
    return { id: batchId, rows: [], eventCount: 0, isSealed: false, length: 0 };
  }
  const rows: Buffer[] = [];
  let eventCount = 0;
  let offset = HEADER_LENGTH;
  for (;;) {
    const header = codec.decode(file, offset);
    if (header === null) break;
    const start = offset + RECORD_HEADER_LENGTH;
    const payload = file.subarray(start, start + header.payloadLength);
    if (payload.length < header.payloadLength || crc32(payload) !== header.payloadCrc) break;
    offset = start + payload.length;
    if (header.eventCount === 0) {
      if (offset < file.length) throw new CorruptionError(path, `bytes follow its seal at byte ${offset}`);
      return { id: batchId, rows, eventCount, isSealed: true, length: offset };
    }
    rows.push(payload);
    eventCount += header.eventCount;
  }
  if (isSyncedBeyond(file, codec, offset)) {
    throw new CorruptionError(path, `the record at byte ${offset} is not what was written`);
  }
  return { id: batchId, rows, eventCount, isSealed: false, length: offset };
}

/** Whether a record says that the byte at `offset` was durable. */
function isSyncedBeyond(file: Buffer, codec: RecordHeaderCodec, offset: number): boolean {
  for (let at = offset; ; at++) {
    at = file.indexOf(RECORD_MAGIC_BYTES, at);
    if (at < 0) return false;
    const header = codec.decode(file, at);
    if (header !== null && header.syncedLength > offset) return true;
  }
}
