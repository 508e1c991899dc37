/**
 * A segment's index file: header, sections, table of contents, footer. Drawn in `../FORMAT.md`.
 * Raised with every change that an older or newer build could not read.
 */
export const CONTAINER_VERSION = 2;

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

/** The bytes of a file's header. */
export function containerHeader(): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(HEADER_BYTES);
  header.set(CONTAINER_MAGIC);
  new DataView(header.buffer).setUint32(CONTAINER_MAGIC.length, CONTAINER_VERSION, true);
  return header;
}
