/** Bytes of the journal file, drawn and explained in FORMAT.md. */
import { crc32 } from "../bytes/crc32.js";

/** The file's length is always a multiple of this many bytes. */
export const LENGTH_UNIT: number = 64 * 1024;
export const FILE_HEADER_LENGTH = 64;
export const RECORD_HEADER_LENGTH = 32;
/** Where records begin: at multiples of this many bytes. */
export const RECORD_ALIGNMENT = 8;
/** Kind of a mark; entries have kinds 1 to 255. */
export const MARK_KIND = 0;
/** Bytes that never occur in UTF-8, so that they never occur in JSON payloads. */
export const RECORD_MAGIC = 0xfbfc_fdfe;

const FILE_MAGIC = 0x4c4e_4a46;
const VERSION = 1;
const LAST_BYTE = 0xa5;

export interface FileHeader {
  readonly generation: number;
  /** Random 64 bits as they are in the file. */
  readonly salt: Uint8Array;
}

export interface RecordHeader {
  readonly kind: number;
  readonly payloadLength: number;
  readonly payloadCrc: number;
  /** Offset before which everything was durable when the record was written. */
  readonly syncedThrough: number;
  /** A file length that was durable when the record was written. */
  readonly durableLength: number;
}

/** `length` rounded up to the next length that a journal file may have. */
export function roundUpLength(length: number): number {
  return Math.ceil(length / LENGTH_UNIT) * LENGTH_UNIT;
}

/** Bytes that a record takes in the file, padding included. */
export function recordLength(payloadLength: number): number {
  return Math.ceil((RECORD_HEADER_LENGTH + payloadLength + 1) / RECORD_ALIGNMENT) * RECORD_ALIGNMENT;
}

/** The padding after a payload. */
export function recordPadding(payloadLength: number): Uint8Array {
  const padding = new Uint8Array(recordLength(payloadLength) - RECORD_HEADER_LENGTH - payloadLength);
  padding[padding.length - 1] = LAST_BYTE;
  return padding;
}

export function encodeFileHeader(header: FileHeader): Uint8Array {
  const bytes = new Uint8Array(FILE_HEADER_LENGTH);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, FILE_MAGIC, true);
  view.setUint32(4, VERSION, true);
  view.setBigUint64(8, BigInt(header.generation), true);
  bytes.set(header.salt, 16);
  view.setUint32(60, crc32(bytes.subarray(0, 60)), true);
  return bytes;
}

/** The header, or what is wrong with it. */
export function decodeFileHeader(bytes: Uint8Array): FileHeader | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0, true) !== FILE_MAGIC) return "it doesn't start as a journal does";
  if (view.getUint32(60, true) !== crc32(bytes.subarray(0, 60))) return "its header fails the checksum";
  const version = view.getUint32(4, true);
  if (version !== VERSION) return `it has version ${version}, this program reads version ${VERSION}`;
  return { generation: Number(view.getBigUint64(8, true)), salt: bytes.slice(16, 24) };
}

/** Writes and recognises the record headers of one journal file. */
export class RecordHeaderCodec {
  readonly #saltCrc: number;
  readonly #offset = new DataView(new ArrayBuffer(8));
  readonly #offsetBytes = new Uint8Array(this.#offset.buffer);

  constructor(salt: Uint8Array) {
    this.#saltCrc = crc32(salt);
  }

  /** The header of a record at `offset`. */
  encode(offset: number, header: RecordHeader): Uint8Array {
    const bytes = new Uint8Array(RECORD_HEADER_LENGTH);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, RECORD_MAGIC, true);
    view.setUint32(4, header.kind, true);
    view.setUint32(8, header.payloadLength, true);
    view.setUint32(12, header.payloadCrc, true);
    view.setUint32(16, header.syncedThrough / RECORD_ALIGNMENT, true);
    view.setUint32(20, header.durableLength / LENGTH_UNIT, true);
    view.setUint32(28, this.#checksum(offset, bytes), true);
    return bytes;
  }

  /** The header in these 32 bytes if they were written as one at `offset` in this file, else null. */
  decode(offset: number, bytes: Uint8Array): RecordHeader | null {
    const view = new DataView(bytes.buffer, bytes.byteOffset, RECORD_HEADER_LENGTH);
    if (view.getUint32(0, true) !== RECORD_MAGIC) return null;
    if (view.getUint32(28, true) !== this.#checksum(offset, bytes)) return null;
    return {
      kind: view.getUint32(4, true),
      payloadLength: view.getUint32(8, true),
      payloadCrc: view.getUint32(12, true),
      syncedThrough: view.getUint32(16, true) * RECORD_ALIGNMENT,
      durableLength: view.getUint32(20, true) * LENGTH_UNIT,
    };
  }

  #checksum(offset: number, header: Uint8Array): number {
    this.#offset.setBigUint64(0, BigInt(offset), true);
    return crc32(header.subarray(0, 28), crc32(this.#offsetBytes, this.#saltCrc));
  }
}
