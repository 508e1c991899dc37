/** A segment's index file in kernel memory, from address 0. */
export interface SegmentImage {
  readonly memory: WebAssembly.Memory;
  readonly maxDoc: number;
}

/** Where a field's posting lists lie in kernel memory: addresses of the sections that FORMAT.md draws. */
export interface PostingImage extends SegmentImage {
  /** Average length in tokens at which the blocks' bounds and impacts were taken. */
  readonly averageLength: number;
  /** Blocks of all its lists. */
  readonly blockCount: number;
  readonly lastDocs: number;
  readonly dataOffsets: number;
  readonly positionOffsets: number;
  readonly docBits: number;
  readonly freqBits: number;
  /** Three per block: bits of its positions before those of its entries 32, 64 and 96. */
  readonly positionGroups: number;
  /** By doc id the bits that its positions take each. */
  readonly positionWidths: number;
  readonly bounds: number;
  readonly impacts: number;
  readonly data: number;
  readonly positionData: number;
  readonly norms: number;
  /** By ordinal: documents, and where the list is. */
  readonly docFreqs: number;
  readonly references: number;
}

/** One term's list in a posting image. */
export interface PostingPlace {
  readonly docFreq: number;
  /** Blocks of 128 documents: index of the first. Fewer documents: the byte in `data`. One: its doc id. */
  readonly reference: number;
  /** The byte in `positionData` where the positions start; of a single document its frequency before them. */
  readonly positionReference: number;
  /** Addresses of the bits of a dense term's documents and of their ranks; 0 if it isn't dense. */
  readonly denseBits: number;
  readonly denseRanks: number;
}
