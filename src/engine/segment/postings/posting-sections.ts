import { CorruptionError } from "../../../errors/index.js";
import type { SectionSink, SectionSource } from "../sections.js";

/** `docBits` and `freqBits` of a block of fewer than 128 postings: varints instead of packed bits. */
export const VARINT_BLOCK = 0xff;

/** For every so many documents of a block but the first it is noted where their positions start. */
export const POSITION_GROUP = 32;

/** The sections of a field's posting lists, viewed in place; FORMAT.md draws them. */
export class PostingSections {
  readonly data: Uint8Array;
  /** These bytes as words: packed blocks start at multiples of 16 bytes. */
  readonly dataWords: Uint32Array;
  readonly positionData: Uint8Array;
  readonly lastDocs: Uint32Array;
  readonly dataOffsets: Uint32Array;
  readonly positionOffsets: Uint32Array;
  /** Three per block: bits of its positions before those of its entries 32, 64 and 96. */
  readonly positionGroups: Uint32Array;
  readonly docBits: Uint8Array;
  readonly freqBits: Uint8Array;
  /** By doc id the bits that its positions take each. */
  readonly positionWidths: Uint8Array;
  /** Greatest impact of each block at the segment's average length, scaled to 65535, rounded up. */
  readonly bounds: Uint16Array;
  /** The posting with that impact: frequency (255 = 255 or more) | norm code << 8. */
  readonly impacts: Uint16Array;

  /** @throws CorruptionError naming `fileName` if the arrays aren't as long as they must be */
  constructor(source: SectionSource, prefix: string, maxDoc: number, fileName: string) {
    this.data = source.u8(`${prefix}postings.data`);
    this.dataWords = source.u32(`${prefix}postings.data`);
    this.positionData = source.u8(`${prefix}positions.data`);
    this.lastDocs = source.u32(`${prefix}blocks.lastDocs`);
    this.dataOffsets = source.u32(`${prefix}blocks.dataOffsets`);
    this.positionOffsets = source.u32(`${prefix}blocks.positionOffsets`);
    this.positionGroups = source.u32(`${prefix}blocks.positionGroups`);
    this.docBits = source.u8(`${prefix}blocks.docBits`);
    this.freqBits = source.u8(`${prefix}blocks.freqBits`);
    this.positionWidths = source.u8(`${prefix}positions.widths`);
    this.bounds = source.u16(`${prefix}blocks.bounds`);
    this.impacts = source.u16(`${prefix}blocks.impacts`);
    const lengths = [
      this.dataOffsets.length,
      this.positionOffsets.length,
      this.positionGroups.length / 3,
      this.docBits.length,
      this.freqBits.length,
      this.bounds.length,
      this.impacts.length,
    ];
    if (lengths.some((length) => length !== this.lastDocs.length)) {
      throw new CorruptionError(fileName, `sections '${prefix}blocks' differ in length`);
    }
    if (this.positionWidths.length !== maxDoc) {
      throw new CorruptionError(
        fileName,
        `section '${prefix}positions.widths' is not of ${maxDoc} documents`,
      );
    }
  }
}

/** A field's posting lists as FORMAT.md draws them; `data` and `positionData` are padded, and may be in chunks. */
export interface WrittenPostings extends Omit<PostingSections, "data" | "positionData" | "dataWords"> {
  readonly data: Uint8Array | readonly Uint8Array[];
  readonly positionData: Uint8Array | readonly Uint8Array[];
}

export function addPostingSections(sink: SectionSink, prefix: string, written: WrittenPostings): void {
  sink.add(`${prefix}postings.data`, written.data);
  sink.add(`${prefix}positions.data`, written.positionData);
  sink.addNumbers(`${prefix}blocks.lastDocs`, written.lastDocs);
  sink.addNumbers(`${prefix}blocks.dataOffsets`, written.dataOffsets);
  sink.addNumbers(`${prefix}blocks.positionOffsets`, written.positionOffsets);
  sink.addNumbers(`${prefix}blocks.positionGroups`, written.positionGroups);
  sink.addNumbers(`${prefix}blocks.docBits`, written.docBits);
  sink.addNumbers(`${prefix}blocks.freqBits`, written.freqBits);
  sink.addNumbers(`${prefix}positions.widths`, written.positionWidths);
  sink.add(`${prefix}blocks.bounds`, written.bounds);
  sink.add(`${prefix}blocks.impacts`, written.impacts);
}
