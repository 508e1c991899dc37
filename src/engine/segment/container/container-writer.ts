import { FindlingError } from "../../../errors/index.js";
import { ByteWriter } from "../../bytes/byte-writer.js";
import { crc32 } from "../../bytes/crc32.js";
import type { SectionSink } from "../sections.js";
import {
  alignedUp,
  CONTAINER_MAGIC,
  containerHeader,
  FOOTER_BYTES,
  HEADER_BYTES,
  SECTION_ALIGNMENT,
  TABLE_ENTRY_BYTES,
} from "./container-format.js";

const encoder = new TextEncoder();

/** How much longer a section's buffer may be than the section. */
const SLACK_MAX = 1.25;

interface Section {
  readonly name: Uint8Array;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Collects sections and lays them out as the chunks of one file. */
export class ContainerWriter implements SectionSink {
  readonly #names = new Set<string>();
  readonly #sections: Section[] = [];
  #end: number = HEADER_BYTES;

  add(name: string, data: Uint8Array | Uint16Array | Uint32Array | Int32Array): void {
    if (this.#names.has(name)) throw new FindlingError("internal", `section '${name}' is added twice`);
    this.#names.add(name);
    const bytes = withoutSlack(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    if (bytes.length > 0xffff_ffff) {
      throw new FindlingError(
        "internal",
        `section '${name}' would pass 4 GiB; flush and merge into smaller segments`,
      );
    }
    const offset = alignedUp(this.#end, SECTION_ALIGNMENT);
    this.#sections.push({ name: encoder.encode(name), offset, bytes });
    this.#end = offset + bytes.length;
  }

  /** The whole file, in order. Sections are not copied. */
  chunks(): Uint8Array[] {
    const chunks: Uint8Array[] = [containerHeader()];
    let end: number = HEADER_BYTES;
    for (const { offset, bytes } of this.#sections) {
      chunks.push(new Uint8Array(offset - end), bytes);
      end = offset + bytes.length;
    }
    const table = this.#table();
    const tableOffset = alignedUp(end, SECTION_ALIGNMENT);
    const footer = this.#footer(tableOffset, table);
    chunks.push(new Uint8Array(tableOffset - end), table, footer);
    return chunks.filter((chunk) => chunk.length > 0);
  }

  #table(): Uint8Array {
    const table = new ByteWriter(this.#sections.length * (TABLE_ENTRY_BYTES + 32));
    for (const { name, offset, bytes } of this.#sections) {
      table.u32(offset / SECTION_ALIGNMENT);
      table.u32(bytes.length);
      table.u32(crc32(bytes));
      table.u32(name.length);
      table.bytes(name);
      table.align(4);
    }
    return table.toBytes();
  }

  #footer(tableOffset: number, table: Uint8Array): Uint8Array {
    const footer = new ByteWriter(FOOTER_BYTES);
    footer.u32(tableOffset / SECTION_ALIGNMENT);
    footer.u32(table.length);
    footer.u32(this.#sections.length);
    footer.u32(crc32(table));
    footer.u32(0);
    footer.u32(crc32(footer.view()));
    footer.bytes(CONTAINER_MAGIC);
    return footer.toBytes();
  }
}

/** The bytes, copied if much of their buffer isn't theirs: the file holds on to it until it is written. */
function withoutSlack(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength > bytes.length * SLACK_MAX ? bytes.slice() : bytes;
}
