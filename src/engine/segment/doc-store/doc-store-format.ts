/** Shapes shared by `DocStoreWriter` and `DocStoreReader`, drawn in FORMAT.md. */

/** "FDOC", read as a little-endian number. */
export const DOC_STORE_MAGIC = 0x434f_4446;
export const DOC_STORE_VERSION = 1;

/** Lengths in bytes. */
export const HEADER_LENGTH = 8;
export const BLOCK_HEADER_LENGTH = 12;
export const FOOTER_LENGTH = 32;
/** Of the footer, what its checksum covers. */
export const FOOTER_CHECKED_LENGTH = 24;

/** Raw bytes at which a block is closed. */
export const BLOCK_LENGTH = 8192;

export const CODEC_RAW = 0;
export const CODEC_LZ4 = 1;
