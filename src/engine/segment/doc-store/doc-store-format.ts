/** Shapes shared by `DocStoreWriter` and `DocStoreReader`, drawn in FORMAT.md. */
import { u32At } from "../../bytes/byte-reader.js";
import { MalformedBytesError } from "../../bytes/malformed-bytes-error.js";

/** "FDOC", read as a little-endian number. */
export const DOC_STORE_MAGIC = 0x434f_4446;
export const DOC_STORE_VERSION = 2;
/** The version whose files don't say which segment they belong to. */
export const UNBOUND_DOC_STORE_VERSION = 1;

/** Lengths in bytes. */
export const HEADER_LENGTH = 24;
export const UNBOUND_HEADER_LENGTH = 8;
/** Where in the header the segment is named. */
export const OWNER_OFFSET = 8;
export const BLOCK_HEADER_LENGTH = 12;
/** What a block's checksum covers of its header, besides the payload; the checksum follows. */
export const BLOCK_HEADER_CHECKED_LENGTH = 8;
export const FOOTER_LENGTH = 32;
/** What the footer's checksum covers of it. */
export const FOOTER_CHECKED_LENGTH = 24;

/** Raw bytes at which a block is closed. Readers go by the block index, whatever the writer chose. */
export const BLOCK_LENGTH = 4096;

export const CODEC_RAW = 0;
export const CODEC_LZ4 = 1;

/**
 * Reads the header of a block whose checksum is right.
 *
 * @param bytes with the block from `at` on
 * @param length of the block in the file
 * @throws MalformedBytesError
 */
export function blockHeader(
  bytes: Uint8Array,
  at: number,
  block: number,
  length: number,
): { readonly codec: number; readonly rawLength: number } {
  const codec = u32At(bytes, at);
  const rawLength = u32At(bytes, at + 4);
  const payloadLength = length - BLOCK_HEADER_LENGTH;
  if (codec === CODEC_RAW && payloadLength === rawLength) return { codec, rawLength };
  if (codec !== CODEC_LZ4) throw new MalformedBytesError(`block ${block} has an unknown codec`);
  // LZ4 expands a byte to 255 at most, so a greater length can't be true and needn't be allocated.
  if (rawLength > payloadLength * 255) throw new MalformedBytesError(`block ${block} has a wrong length`);
  return { codec, rawLength };
}
