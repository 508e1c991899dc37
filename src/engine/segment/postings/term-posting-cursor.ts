import type { PostingCursor } from "../segment-reader.js";

/** A cursor that also gives all positions of a block at once, for whoever walks whole lists. */
export interface TermPostingCursor extends PostingCursor {
  /** Positions of the loaded block's documents, one after the other; valid until the next call. Needs `loadFreqs`. */
  blockPositions(): Uint32Array;
  /** Byte of the field's position data where the loaded block's begin. */
  positionOffset(): number;
  /** The loaded block's stream of positions: its first byte in the field's position data, and its bits. Needs `loadFreqs`. */
  positionPlace(): { readonly offset: number; readonly bits: number };
}
