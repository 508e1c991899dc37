import { crc32 } from "../../bytes/crc32.js";
import { type FileOwner, OWNER_BYTES, ownerBytes } from "../../bytes/file-owner.js";

/**
 * A segment's index file: header, sections, table of contents, footer. Drawn in `../FORMAT.md`.
 * Raised with every change that an older or newer build could not read.
 */
export const CONTAINER_VERSION = 3;

/** The version whose files don't say which segment they belong to. */
export const UNBOUND_CONTAINER_VERSION = 2;

/** "FNDLSEG" and a zero byte, at both ends of the file. */
export const CONTAINER_MAGIC: Uint8Array = Uint8Array.of(0x46, 0x4e, 0x44, 0x4c, 0x53, 0x45, 0x47, 0x00);

export const HEADER_BYTES = 64;

/** Sections and the table of contents start at multiples of this. */
export const SECTION_ALIGNMENT = 64;

/** Table offset / 64, table bytes, section count, table CRC, 0, CRC of these five; magic. */
export const FOOTER_BYTES = 32;

export function alignedUp(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}

/** Where in the header the segment is named. */
export const OWNER_OFFSET = 12;

/** The bytes of a file's header. @param owner the segment; null: in the version that doesn't say */
export function containerHeader(owner: FileOwner | null): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  header.set(CONTAINER_MAGIC);
  view.setUint32(
    CONTAINER_MAGIC.length,
    owner === null ? UNBOUND_CONTAINER_VERSION : CONTAINER_VERSION,
    true,
  );
  if (owner === null) return header;
  header.set(ownerBytes(owner), OWNER_OFFSET);
  const checked = OWNER_OFFSET + OWNER_BYTES;
  view.setUint32(checked, crc32(header.subarray(0, checked)), true);
  return header;
}
