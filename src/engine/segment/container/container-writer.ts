import { FindlingError } from "../../../errors/index.js";
import { crc32 } from "../../bytes/crc32.js";
import { type FileOwner, newOwner } from "../../bytes/file-owner.js";
import { residentBytes } from "../../bytes/mapped-bytes.js";
import { packNumbers } from "../../kernels/pack-numbers.js";
import { SECTION_ENCODINGS, type SectionEncoding, type SectionSink } from "../sections.js";
import { ChunkLayout } from "./chunk-layout.js";
import { alignedUp, containerHeader, HEADER_BYTES, SECTION_ALIGNMENT } from "./container-format.js";
import { type TableEntry, tableAndFooter } from "./container-table.js";

/** How much longer a section's buffer may be than the section, */
const SLACK_MAX = 1.25;
/** if it is longer than this. */
const SLACK_FROM = 4096;
/** Sections may be laid out before the last of them is known; less isn't worth a pause of whoever writes them. */
const TAKEN_MIN = 1 << 16;

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
  readonly #owner: FileOwner;
  readonly #names = new Set<string>();
  /** Those that haven't been taken. */
  #plain: Section[] = [];
  #plainBytes = 0;
  readonly #folded: Section[] = [];
  /** Where the sections are that have been laid out. */
  readonly #entries: TableEntry[] = [];
  #end = 0;

  /** @param owner the segment that the file belongs to */
  constructor(owner: FileOwner = newOwner()) {
    this.#owner = owner;
  }

  add(name: string, data: Numbers | readonly Uint8Array[]): void {
    const chunks = isSeveral(data) ? data.map(withoutSlack) : [withoutSlack(bytesOf(data))];
    const unfoldedLength = chunks.reduce((sum, { length }) => sum + length, 0);
    this.#add(this.#plain, { name, chunks, encoding: SECTION_ENCODINGS.raw, unfoldedLength });
    this.#plainBytes += unfoldedLength;
  }

  addNumbers(name: string, data: Numbers): void {
    if (data.length === 0) {
      this.add(name, data);
      return;
    }
    const numbers = data instanceof Int32Array ? asWords(data) : data;
    const packed = packNumbers(numbers);
    if (packed.length >= data.byteLength) this.add(name, data);
    else this.addFolded(name, ENCODING_BY_WIDTH[data.BYTES_PER_ELEMENT]!, packed, data.byteLength);
  }

  addFolded(name: string, encoding: SectionEncoding, folded: Uint8Array, length: number): void {
    this.#add(this.#folded, { name, chunks: [withoutSlack(folded)], encoding, unfoldedLength: length });
  }

  /**
   * What the file begins with, as far as it is known by now, but for what was taken before; it is forgotten here.
   * Nothing while that is little.
   */
  takeChunks(): Uint8Array[] {
    return this.#plainBytes < TAKEN_MIN ? [] : this.#layOut(this.#takePlain()).chunksUpTo(this.#end);
  }

  /** The file, in order, but for what was taken. Long sections are not copied. The writer is of no use afterwards. */
  chunks(): Uint8Array[] {
    const layout = this.#layOut([...this.#takePlain(), ...this.#folded]);
    const tableOffset = alignedUp(this.#end, SECTION_ALIGNMENT);
    const table = tableAndFooter(this.#entries, tableOffset);
    layout.place(table, tableOffset);
    return layout.chunksUpTo(tableOffset + table.length);
  }

  #takePlain(): readonly Section[] {
    const plain = this.#plain;
    this.#plain = [];
    this.#plainBytes = 0;
    return plain;
  }

  /** The sections, behind what was laid out before, and behind the header if nothing was. */
  #layOut(sections: readonly Section[]): ChunkLayout {
    const layout = new ChunkLayout(this.#end);
    if (this.#end === 0) {
      layout.place(containerHeader(this.#owner), 0);
      this.#end = HEADER_BYTES;
    }
    for (const { name, chunks, encoding, unfoldedLength } of sections) {
      const offset = alignedUp(this.#end, SECTION_ALIGNMENT);
      let length = 0;
      let checksum = 0;
      for (const chunk of chunks) {
        if (chunk.length === 0) continue;
        layout.place(chunk, offset + length);
        length += chunk.length;
        checksum = crc32(chunk, checksum);
      }
      this.#end = offset + length;
      this.#entries.push({ name, offset, length, checksum, encoding, unfoldedLength });
    }
    return layout;
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

function bytesOf(data: Numbers): Uint8Array {
  if (data instanceof Uint8Array) return data;
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** The bytes, copied if much of their buffer isn't theirs: the file holds on to it until it is written. */
function withoutSlack(bytes: Uint8Array): Uint8Array {
  const resident = residentBytes(bytes.buffer, bytes.length);
  return resident > SLACK_FROM && resident > bytes.length * SLACK_MAX ? bytes.slice() : bytes;
}
