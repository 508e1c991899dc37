import { CorruptionError } from "../../../errors/index.js";
import { ByteReader } from "../../bytes/byte-reader.js";
import { crc32 } from "../../bytes/crc32.js";
import { type FileOwner, ownerAt } from "../../bytes/file-owner.js";
import { MalformedBytesError, readingFile } from "../../bytes/malformed-bytes-error.js";
import { SECTION_ENCODINGS, type SectionEncoding, type SectionSource } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import {
  alignedUp,
  CONTAINER_MAGIC,
  CONTAINER_VERSION,
  containerHeader,
  FOOTER_BYTES,
  HEADER_BYTES,
  OWNER_OFFSET,
  SECTION_ALIGNMENT,
  UNBOUND_CONTAINER_VERSION,
} from "./container-format.js";
import type { TableEntry } from "./container-table.js";
import { DeferredSection, deferredName, isDeferredName } from "./deferred-section.js";
import { sectionName } from "./section-names.js";
import { unfoldContainer } from "./unfold-container.js";

/** Bytes whose checksum is taken in one go: about a millisecond. */
const CHECKED_PER_STEP = 4 * 1024 * 1024;

/**
 * The sections of a file read whole, as they are used. Opening checks every byte, in slices of time:
 * checksums, and that what lies between sections is zero, so that no flipped bit goes unnoticed. Then it
 * unfolds what is folded in the file; views share one buffer, the given one where that can grow.
 */
export class ContainerReader implements SectionSource {
  readonly fileName: string;
  /** A container of the same sections, none of them folded, at a multiple of 64 in its buffer. */
  readonly image: Uint8Array<SharedArrayBuffer>;
  readonly #sections: ReadonlyMap<string, TableEntry>;

  private constructor(
    image: Uint8Array<SharedArrayBuffer>,
    fileName: string,
    sections: ReadonlyMap<string, TableEntry>,
  ) {
    this.fileName = fileName;
    this.image = image;
    this.#sections = sections;
  }

  /**
   * @param bytes the file, from offset 0 of its buffer
   * @throws CorruptionError naming `fileName`
   */
  static *open(bytes: Uint8Array<SharedArrayBuffer>, fileName: string): SlicedWork<ContainerReader> {
    const sections = readingFile(fileName, () => readTable(bytes, fileName));
    for (const { name, offset, length, checksum } of sections.values()) {
      let actual = 0;
      for (let start = 0; start < length; start += CHECKED_PER_STEP) {
        const end = Math.min(start + CHECKED_PER_STEP, length);
        actual = crc32(bytes.subarray(offset + start, offset + end), actual);
        yield;
      }
      if (actual !== checksum) throw damaged(fileName, `the checksum of section '${name}' is wrong`);
    }
    try {
      const image = yield* unfoldContainer(bytes, sections);
      return new ContainerReader(image.bytes, fileName, image.entries);
    } catch (error) {
      if (!(error instanceof MalformedBytesError)) throw error;
      throw new CorruptionError(fileName, error.message, { cause: error });
    }
  }

  /** As `open`, of the image of one that another thread of this process has opened. */
  static reopen(image: Uint8Array<SharedArrayBuffer>, fileName: string): ContainerReader {
    return new ContainerReader(
      image,
      fileName,
      readingFile(fileName, () => readTable(image, fileName)),
    );
  }

  /** The segment that the file says it belongs to; null if it was written before files said so. */
  get owner(): FileOwner | null {
    return ownerOf(this.image);
  }

  /** In file order. */
  get sectionNames(): readonly string[] {
    return [...this.#sections.keys()].filter((name) => !isDeferredName(name));
  }

  has(name: string): boolean {
    return this.#sections.has(name);
  }

  u8(name: string): Uint8Array {
    const { offset, length } = this.#section(name, 1);
    return this.image.subarray(offset, offset + length);
  }

  u16(name: string): Uint16Array {
    const { offset, length } = this.#section(name, 2);
    return new Uint16Array(this.image.buffer, this.image.byteOffset + offset, length / 2);
  }

  u32(name: string): Uint32Array {
    const { offset, length } = this.#section(name, 4);
    return new Uint32Array(this.image.buffer, this.image.byteOffset + offset, length / 4);
  }

  i32(name: string): Int32Array {
    const { offset, length } = this.#section(name, 4);
    return new Int32Array(this.image.buffer, this.image.byteOffset + offset, length / 4);
  }

  deferred(name: string): DeferredSection | null {
    const held = deferredName(name);
    if (!this.has(held)) return null;
    return new DeferredSection(
      { name, target: this.u8(name), other: (other) => this.u8(other) },
      this.u8(held),
    );
  }

  #section(name: string, width: number): TableEntry {
    const section = this.#sections.get(name);
    if (section === undefined) throw this.#damaged(`section '${name}' is missing`);
    if (section.length % width !== 0) {
      throw this.#damaged(`section '${name}' has ${section.length} bytes, no multiple of ${width}`);
    }
    return section;
  }

  #damaged(problem: string): CorruptionError {
    return damaged(this.fileName, problem);
  }
}

/** By name, in file order. Checks everything but the sections' bytes. */
function readTable(bytes: Uint8Array, fileName: string): ReadonlyMap<string, TableEntry> {
  if (bytes.length < HEADER_BYTES + FOOTER_BYTES) {
    throw damaged(fileName, `it has ${bytes.length} bytes, too few for a segment`);
  }
  checkHeader(bytes, fileName);
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
  if (!isWhole) throw damaged(fileName, "its footer is cut off or changed");
  if (reserved !== 0 || tableOffset + tableLength !== footerStart) {
    throw damaged(fileName, "its table of contents does not end at the footer");
  }
  const table = bytes.subarray(tableOffset, footerStart);
  if (crc32(table) !== tableChecksum) {
    throw damaged(fileName, "the checksum of its table of contents is wrong");
  }
  const sections = readSections(new ByteReader(table), sectionCount, tableOffset, fileName);
  let end: number = HEADER_BYTES;
  for (const { offset, length } of sections.values()) {
    checkZeros(bytes, end, offset, fileName);
    end = offset + length;
  }
  checkZeros(bytes, end, tableOffset, fileName);
  return sections;
}

function checkHeader(bytes: Uint8Array, fileName: string): void {
  if (!CONTAINER_MAGIC.every((byte, i) => bytes[i] === byte)) {
    throw damaged(fileName, "it is no segment file");
  }
  const version = versionOf(bytes);
  if (version !== CONTAINER_VERSION && version !== UNBOUND_CONTAINER_VERSION) {
    throw damaged(
      fileName,
      `its format version is ${version}, this build reads ${UNBOUND_CONTAINER_VERSION} and ${CONTAINER_VERSION}`,
    );
  }
  const header = containerHeader(ownerOf(bytes));
  if (!header.every((byte, i) => bytes[i] === byte)) throw damaged(fileName, "its header is changed");
}

function versionOf(bytes: Uint8Array): number {
  return new ByteReader(bytes, CONTAINER_MAGIC.length).u32();
}

function ownerOf(bytes: Uint8Array): FileOwner | null {
  return versionOf(bytes) === UNBOUND_CONTAINER_VERSION ? null : ownerAt(bytes, OWNER_OFFSET);
}

/** Sections lie in the table's order with nothing but padding between, so that every byte is checked. */
function readSections(
  reader: ByteReader,
  sectionCount: number,
  tableOffset: number,
  fileName: string,
): ReadonlyMap<string, TableEntry> {
  const sections = new Map<string, TableEntry>();
  let end: number = HEADER_BYTES;
  let isFolded = false;
  for (let i = 0; i < sectionCount; i++) {
    const offset = reader.u32() * SECTION_ALIGNMENT;
    const length = reader.u32();
    const checksum = reader.u32();
    const encoding = reader.u32() as SectionEncoding;
    const unfoldedLength = reader.u32();
    const name = sectionName(reader.bytes(reader.u32()));
    reader.skip(alignedUp(reader.position, 4) - reader.position);
    if (offset !== alignedUp(end, SECTION_ALIGNMENT) || offset + length > tableOffset || sections.has(name)) {
      throw damaged(fileName, `section '${name}' is not where it belongs`);
    }
    // What isn't folded stays where it is in memory, too, so it comes first.
    if (isFolded && encoding === SECTION_ENCODINGS.raw) {
      throw damaged(fileName, `section '${name}' is behind folded ones`);
    }
    isFolded = encoding !== SECTION_ENCODINGS.raw;
    sections.set(name, { name, offset, length, checksum, encoding, unfoldedLength });
    end = offset + length;
  }
  if (reader.remaining !== 0 || alignedUp(end, SECTION_ALIGNMENT) !== tableOffset) {
    throw damaged(fileName, "its table of contents has another number of sections");
  }
  return sections;
}

function checkZeros(bytes: Uint8Array, start: number, end: number, fileName: string): void {
  for (let i = start; i < end; i++) {
    if (bytes[i] !== 0) throw damaged(fileName, `byte ${i} between two sections is not zero`);
  }
}

function damaged(fileName: string, problem: string): CorruptionError {
  return new CorruptionError(fileName, problem);
}
