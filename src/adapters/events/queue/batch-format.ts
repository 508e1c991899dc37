/**
 * Bytes of one file of waiting events; all numbers little-endian. Nothing is ever overwritten.
 *
 *     file    = header, record*, seal?
 *     header  = magic u32 | version u32 | batch id, 16 bytes | zero u32 | CRC-32 of the 28 bytes before
 *     record  = magic u32 | payload length u32 | events u32 | payload CRC-32 u32 | synced u32 | CRC-32 | payload
 *     seal    = a record without payload and events: the file is whole, nothing follows
 *
 * A payload is a group of events that were made durable by one sync: a line of JSON each. `synced` is
 * the file's length that was durable when the record was written: bad bytes before it are damage, bad
 * bytes after the last such length are a write that was interrupted and never acknowledged. A record
 * header's checksum covers its offset and the batch id too, so bytes of other files never pass for one.
 */
import { crc32 } from "node:zlib";

export const HEADER_LENGTH = 32;
export const RECORD_HEADER_LENGTH = 24;

const FILE_MAGIC = 0x5145_4e46;
const VERSION = 1;
/** Bytes that never occur in UTF-8, so never in a payload. */
const RECORD_MAGIC = 0xfbfc_fdfe;
export const RECORD_MAGIC_BYTES: Uint8Array = Uint8Array.of(0xfe, 0xfd, 0xfc, 0xfb);

export interface RecordHeader {
  readonly payloadLength: number;
  readonly eventCount: number;
  readonly payloadCrc: number;
  readonly syncedLength: number;
}

/** @param batchId a UUID */
export function encodeFileHeader(batchId: string): Buffer {
  const bytes = Buffer.alloc(HEADER_LENGTH);
  bytes.writeUInt32LE(FILE_MAGIC, 0);
  bytes.writeUInt32LE(VERSION, 4);
  bytes.set(idBytes(batchId), 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28);
  return bytes;
}

/** What is wrong with the header of the batch's file; null if nothing is. */
export function findHeaderProblem(bytes: Buffer, batchId: string): string | null {
  if (bytes.length < HEADER_LENGTH) return "it is shorter than its header";
  if (bytes.readUInt32LE(0) !== FILE_MAGIC) return "it doesn't start as a file of events does";
  if (bytes.readUInt32LE(28) !== crc32(bytes.subarray(0, 28))) return "its header fails the checksum";
  const version = bytes.readUInt32LE(4);
  if (version !== VERSION) return `it has version ${version}, this program reads version ${VERSION}`;
  if (!bytes.subarray(8, 24).equals(idBytes(batchId))) return "its header names another batch than its name";
  return null;
}

/** Writes and recognises the record headers of one batch. */
export class RecordHeaderCodec {
  readonly #seed: number;

  constructor(batchId: string) {
    this.#seed = crc32(idBytes(batchId));
  }

  encode(offset: number, header: RecordHeader): Buffer {
    const bytes = Buffer.alloc(RECORD_HEADER_LENGTH);
    bytes.writeUInt32LE(RECORD_MAGIC, 0);
    bytes.writeUInt32LE(header.payloadLength, 4);
    bytes.writeUInt32LE(header.eventCount, 8);
    bytes.writeUInt32LE(header.payloadCrc, 12);
    bytes.writeUInt32LE(header.syncedLength, 16);
    bytes.writeUInt32LE(this.#checksum(offset, bytes), 20);
    return bytes;
  }

  /** The record header at `offset` of the file; null if there is none. */
  decode(file: Buffer, offset: number): RecordHeader | null {
    if (offset + RECORD_HEADER_LENGTH > file.length) return null;
    const bytes = file.subarray(offset, offset + RECORD_HEADER_LENGTH);
    if (bytes.readUInt32LE(0) !== RECORD_MAGIC) return null;
    if (bytes.readUInt32LE(20) !== this.#checksum(offset, bytes)) return null;
    return {
      payloadLength: bytes.readUInt32LE(4),
      eventCount: bytes.readUInt32LE(8),
      payloadCrc: bytes.readUInt32LE(12),
      syncedLength: bytes.readUInt32LE(16),
    };
  }

  #checksum(offset: number, header: Buffer): number {
    const place = Buffer.alloc(4);
    place.writeUInt32LE(offset);
    return crc32(header.subarray(0, 20), crc32(place, this.#seed));
  }
}

function idBytes(batchId: string): Buffer {
  return Buffer.from(batchId.replaceAll("-", ""), "hex");
}
