import { FindlingError } from "../../../errors/index.js";
import { crc32 } from "../../bytes/crc32.js";
import { residentBytes } from "../../bytes/mapped-bytes.js";
import { packNumbers } from "../../kernels/pack-numbers.js";
import { SECTION_ENCODINGS, type SectionEncoding, type SectionSink } from "../sections.js";
import { alignedUp, containerHeader, HEADER_BYTES, SECTION_ALIGNMENT } from "./container-format.js";
import { type TableEntry, tableAndFooter } from "./container-table.js";

/** How much longer a section's buffer may be than the section. */
const SLACK_MAX = 1.25;

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array;

interface Section {
  readonly name: string;
  readonly chunks: readonly Uint8Array[];
  readonly encoding: SectionEncoding;
  readonly unfoldedLength: number;
}

/**
 * Lays sections out as the chunks of one file: those that stay as they are first, which may be taken as they
 * come, then the others.
 */
export class ContainerWriter implements SectionSink {
  readonly #names = new Set<string>();
  /** Those that haven't been taken. */
  #plain: Section[] = [];
  readonly #folded: Section[] = [];
  /** Of the sections that have been laid out. */
  readonly #entries: TableEntry[] = [];
  #end = 0;

  add(name: string, data: Numbers | readonly Uint8Array[]): void {
    const chunks = isSeveral(data) ? data.map(withoutSlack) : [withoutSlack(bytesOf(data))];
    const unfoldedLength = chunks.reduce((sum, { length }) => sum + length, 0);
    this.#add(this.#plain, { name, chunks, encoding: SECTION_ENCODINGS.raw, unfoldedLength });
  }

  addNumbers(name: string, data: Numbers): void {
    const numbers = data instanceof Int32Array ? asWords(data) : data;
    const packed = packNumbers(numbers);
    if (packed.length >= data.byteLength) this.add(name, data);
    else this.addFolded(name, ENCODING_BY_WIDTH[data.BYTES_PER_ELEMENT]!, packed, data.byteLength);
  }

  addFolded(name: string, encoding: SectionEncoding, folded: Uint8Array, length: number): void {
    this.#add(this.#folded, { name, chunks: [withoutSlack(folded)], encoding, unfoldedLength: length });
  }

  /** What the file begins with, as far as it is known by now, but for what was taken before; it is forgotten here. */
  takeChunks(): Uint8Array[] {
    const chunks: Uint8Array[] = [];
    if (this.#end === 0) {
      chunks.push(containerHeader());
      this.#end = HEADER_BYTES;
    }
    const plain = this.#plain;
    this.#plain = [];
    for (const section of plain) this.#layOut(section, chunks);
    return chunks;
  }

  /** The file, in order, but for what was taken. Sections are not copied. The writer is of no use afterwards. */
  chunks(): Uint8Array[] {
    const chunks = this.takeChunks();
    for (const section of this.#folded) this.#layOut(section, chunks);
    const tableOffset = alignedUp(this.#end, SECTION_ALIGNMENT);
    chunks.push(new Uint8Array(tableOffset - this.#end), tableAndFooter(this.#entries, tableOffset));
    return chunks.filter((chunk) => chunk.length > 0);
  }

  #layOut(section: Section, chunks: Uint8Array[]): void {
    const { name, encoding, unfoldedLength } = section;
    const offset = alignedUp(this.#end, SECTION_ALIGNMENT);
    if (offset > this.#end) chunks.push(new Uint8Array(offset - this.#end));
    let length = 0;
    let checksum = 0;
    for (const chunk of section.chunks) {
      chunks.push(chunk);
      length += chunk.length;
      checksum = crc32(chunk, checksum);
    }
    this.#end = offset + length;
    this.#entries.push({ name, offset, length, checksum, encoding, unfoldedLength });
  }

  #add(sections: Section[], section: Section): void {
    const { name } = section;
    if (this.#names.has(name)) throw new FindlingError("internal", `section '${name}' is added twice`);
    this.#names.add(name);
    if (section.unfoldedLength > 0xffff_ffff) {
      throw new FindlingError(
        "internal",
        `section '${name}' would pass 4 GiB; flush and merge into smaller segments`,
      );
    }
    sections.push(section);
  }
}

const ENCODING_BY_WIDTH: readonly (SectionEncoding | undefined)[] = [
  undefined,
  SECTION_ENCODINGS.bytes,
  SECTION_ENCODINGS.shorts,
  undefined,
  SECTION_ENCODINGS.words,
];

function isSeveral(data: Numbers | readonly Uint8Array[]): data is readonly Uint8Array[] {
  return Array.isArray(data);
}

function asWords({ buffer, byteOffset, length }: Int32Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length);
}

function bytesOf({ buffer, byteOffset, byteLength }: Numbers): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The bytes, copied if much of their buffer isn't theirs: the file holds on to it until it is written. */
function withoutSlack(bytes: Uint8Array): Uint8Array {
  return residentBytes(bytes.buffer, bytes.length) > bytes.length * SLACK_MAX ? bytes.slice() : bytes;
}
