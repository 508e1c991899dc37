import { FindlingError } from "../../../errors/index.js";
import { crc32 } from "../../bytes/crc32.js";
import { packNumbers } from "../../bytes/packed-numbers.js";
import { SECTION_ENCODINGS, type SectionEncoding, type SectionSink } from "../sections.js";
import { alignedUp, containerHeader, HEADER_BYTES, SECTION_ALIGNMENT } from "./container-format.js";
import { type TableEntry, tableAndFooter } from "./container-table.js";

/** How much longer a section's buffer may be than the section. */
const SLACK_MAX = 1.25;

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array;

interface Section {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly encoding: SectionEncoding;
  readonly unfoldedLength: number;
}

/** Collects sections and lays them out as the chunks of one file: those that stay as they are first. */
export class ContainerWriter implements SectionSink {
  readonly #names = new Set<string>();
  readonly #plain: Section[] = [];
  readonly #folded: Section[] = [];

  add(name: string, data: Numbers): void {
    const bytes = withoutSlack(bytesOf(data));
    this.#add(this.#plain, { name, bytes, encoding: SECTION_ENCODINGS.raw, unfoldedLength: bytes.length });
  }

  addNumbers(name: string, data: Numbers): void {
    const numbers = data instanceof Int32Array ? asWords(data) : data;
    const packed = packNumbers(numbers);
    if (packed.length >= data.byteLength) this.add(name, data);
    else this.addFolded(name, ENCODING_BY_WIDTH[data.BYTES_PER_ELEMENT]!, packed, data.byteLength);
  }

  addFolded(name: string, encoding: SectionEncoding, folded: Uint8Array, length: number): void {
    this.#add(this.#folded, { name, bytes: withoutSlack(folded), encoding, unfoldedLength: length });
  }

  /** The whole file, in order. Sections are not copied. */
  chunks(): Uint8Array[] {
    const chunks: Uint8Array[] = [containerHeader()];
    const entries: TableEntry[] = [];
    let end: number = HEADER_BYTES;
    for (const { name, bytes, encoding, unfoldedLength } of [...this.#plain, ...this.#folded]) {
      const offset = alignedUp(end, SECTION_ALIGNMENT);
      chunks.push(new Uint8Array(offset - end), bytes);
      end = offset + bytes.length;
      entries.push({ name, offset, length: bytes.length, checksum: crc32(bytes), encoding, unfoldedLength });
    }
    const tableOffset = alignedUp(end, SECTION_ALIGNMENT);
    chunks.push(new Uint8Array(tableOffset - end), tableAndFooter(entries, tableOffset));
    return chunks.filter((chunk) => chunk.length > 0);
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

function asWords({ buffer, byteOffset, length }: Int32Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length);
}

function bytesOf({ buffer, byteOffset, byteLength }: Numbers): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The bytes, copied if much of their buffer isn't theirs: the file holds on to it until it is written. */
function withoutSlack(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength > bytes.length * SLACK_MAX ? bytes.slice() : bytes;
}
