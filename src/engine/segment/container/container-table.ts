import { ByteWriter } from "../../bytes/byte-writer.js";
import { crc32 } from "../../bytes/crc32.js";
import type { SectionEncoding } from "../sections.js";
import { CONTAINER_MAGIC, FOOTER_BYTES, SECTION_ALIGNMENT } from "./container-format.js";

/** A line of the table of contents. */
export interface TableEntry {
  readonly name: string;
  /** A multiple of 64. */
  readonly offset: number;
  /** Bytes in the file. */
  readonly length: number;
  readonly checksum: number;
  readonly encoding: SectionEncoding;
  /** Bytes in memory; those of the file unless the section is folded. */
  readonly unfoldedLength: number;
}

/** Bytes of an entry without its name. */
const ENTRY_BYTES = 24;
const NAME_BYTES = 32;

/** Table of contents and footer, which belong at the end of the file: the table at `tableOffset`. */
export function tableAndFooter(entries: readonly TableEntry[], tableOffset: number): Uint8Array {
  const table = new ByteWriter(entries.length * (ENTRY_BYTES + NAME_BYTES) + FOOTER_BYTES);
  for (const { name, offset, length, checksum, encoding, unfoldedLength } of entries) {
    table.u32(offset / SECTION_ALIGNMENT);
    table.u32(length);
    table.u32(checksum);
    table.u32(encoding);
    table.u32(unfoldedLength);
    const lengthAt = table.length;
    table.u32(0);
    table.text(name);
    table.setU32(lengthAt, table.length - lengthAt - 4);
    table.align(4);
  }
  const tableLength = table.length;
  const tableChecksum = crc32(table.view());
  const footer = new ByteWriter(FOOTER_BYTES);
  footer.u32(tableOffset / SECTION_ALIGNMENT);
  footer.u32(tableLength);
  footer.u32(entries.length);
  footer.u32(tableChecksum);
  footer.u32(0);
  footer.u32(crc32(footer.view()));
  footer.bytes(CONTAINER_MAGIC);
  table.bytes(footer.view());
  return table.toBytes();
}
