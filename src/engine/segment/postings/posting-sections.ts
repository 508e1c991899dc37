import { CorruptionError } from "../../../errors/index.js";
import type { SectionSource } from "../sections.js";

/** The sections of a field's posting lists, viewed in place; FORMAT.md draws them. */
export class PostingSections {
  readonly data: Uint8Array;
  /** The same bytes as words: packed blocks start at multiples of 16 bytes. */
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
