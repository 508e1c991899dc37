import { CorruptionError } from "../../../errors/index.js";
import { ByteReader, decodeUtf8 } from "../../bytes/byte-reader.js";
import { crc32 } from "../../bytes/crc32.js";
import { readingFile } from "../../bytes/malformed-bytes-error.js";
import type { SectionSource } from "../sections.js";
import {
  alignedUp,
  CONTAINER_MAGIC,
  CONTAINER_VERSION,
  containerHeader,
  FOOTER_BYTES,
  HEADER_BYTES,
  SECTION_ALIGNMENT,
} from "./container-format.js";

interface Section {
  readonly offset: number;
  readonly length: number;
}

/**
 * The sections of a file read whole. Opening checks every byte: checksums, and that what lies
 * between sections is zero, so that no flipped bit goes unnoticed. Views share the given buffer.
 */
export class ContainerReader implements SectionSource {
  readonly fileName: string;
  /** In file order. */
  readonly sectionNames: readonly string[];
  readonly #bytes: Uint8Array;
  readonly #sections: ReadonlyMap<string, Section>;

  /**
   * @param bytes the file, at a multiple of 64 in its buffer
   * @throws CorruptionError naming `fileName`
   */
  constructor(bytes: Uint8Array, fileName: string) {
    this.fileName = fileName;
    this.#bytes = bytes;
    this.#sections = readingFile(fileName, () => this.#open());
    this.sectionNames = [...this.#sections.keys()];
  }

  has(name: string): boolean {
    return this.#sections.has(name);
  }

  /** Bytes of a section. */
  lengthOf(name: string): number {
    return this.#section(name, 1).length;
  }

  u8(name: string): Uint8Array {
    const { offset, length } = this.#section(name, 1);
    return this.#bytes.subarray(offset, offset + length);
  }

  u16(name: string): Uint16Array {
    const { offset, length } = this.#section(name, 2);
    return new Uint16Array(this.#bytes.buffer, this.#bytes.byteOffset + offset, length / 2);
  }

  u32(name: string): Uint32Array {
    const { offset, length } = this.#section(name, 4);
    return new Uint32Array(this.#bytes.buffer, this.#bytes.byteOffset + offset, length / 4);
  }

  i32(name: string): Int32Array {
    const { offset, length } = this.#section(name, 4);
    return new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset + offset, length / 4);
  }

  #section(name: string, width: number): Section {
    const section = this.#sections.get(name);
    if (section === undefined) throw this.#damaged(`section '${name}' is missing`);
    if (section.length % width !== 0) {
      throw this.#damaged(`section '${name}' has ${section.length} bytes, no multiple of ${width}`);
    }
    return section;
  }

  #open(): Map<string, Section> {
    const bytes = this.#bytes;
    if (bytes.length < HEADER_BYTES + FOOTER_BYTES) {
      throw this.#damaged(`it has ${bytes.length} bytes, too few for a segment`);
    }
    this.#checkHeader();
    const footerStart = bytes.length - FOOTER_BYTES;
    const footer = new ByteReader(bytes, footerStart);
    const tableOffset = footer.u32() * SECTION_ALIGNMENT;
    const tableLength = footer.u32();
    const sectionCount = footer.u32();
    const tableChecksum = footer.u32();
    const reserved = footer.u32();
    const isWhole =
      footer.u32() === crc32(bytes.subarray(footerStart, footerStart + 20)) &&
      CONTAINER_MAGIC.every((byte) => footer.u8() === byte);
    if (!isWhole) throw this.#damaged("its footer is cut off or changed");
    if (reserved !== 0 || tableOffset + tableLength !== footerStart) {
      throw this.#damaged("its table of contents does not end at the footer");
    }
    const table = bytes.subarray(tableOffset, footerStart);
    if (crc32(table) !== tableChecksum) throw this.#damaged("the checksum of its table of contents is wrong");
    return this.#readTable(table, tableOffset, sectionCount);
  }

  #checkHeader(): void {
    const bytes = this.#bytes;
    if (!CONTAINER_MAGIC.every((byte, i) => bytes[i] === byte)) throw this.#damaged("it is no segment file");
    const version = new ByteReader(bytes, CONTAINER_MAGIC.length).u32();
    if (version !== CONTAINER_VERSION) {
      throw this.#damaged(`its format version is ${version}, this build reads ${CONTAINER_VERSION}`);
    }
    const header = containerHeader();
    if (!header.every((byte, i) => bytes[i] === byte)) throw this.#damaged("its header is changed");
  }

  /** Sections lie in the table's order with nothing but zeros between, so that every byte is checked. */
  #readTable(table: Uint8Array, tableOffset: number, sectionCount: number): Map<string, Section> {
    const sections = new Map<string, Section>();
    const reader = new ByteReader(table);
    let end: number = HEADER_BYTES;
    for (let i = 0; i < sectionCount; i++) {
      const offset = reader.u32() * SECTION_ALIGNMENT;
      const length = reader.u32();
      const checksum = reader.u32();
      const name = decodeUtf8(reader.bytes(reader.u32()));
      reader.skip(alignedUp(reader.position, 4) - reader.position);
      if (
        offset !== alignedUp(end, SECTION_ALIGNMENT) ||
        offset + length > tableOffset ||
        sections.has(name)
      ) {
        throw this.#damaged(`section '${name}' is not where it belongs`);
      }
      this.#checkZeros(end, offset);
      if (crc32(this.#bytes.subarray(offset, offset + length)) !== checksum) {
        throw this.#damaged(`the checksum of section '${name}' is wrong`);
      }
      sections.set(name, { offset, length });
      end = offset + length;
    }
    if (reader.remaining !== 0 || alignedUp(end, SECTION_ALIGNMENT) !== tableOffset) {
      throw this.#damaged("its table of contents has another number of sections");
    }
    this.#checkZeros(end, tableOffset);
    return sections;
  }

  #checkZeros(start: number, end: number): void {
    for (let i = start; i < end; i++) {
      if (this.#bytes[i] !== 0) throw this.#damaged(`byte ${i} between two sections is not zero`);
    }
  }

  #damaged(problem: string): CorruptionError {
    return new CorruptionError(this.fileName, problem);
  }
}
