/**
 * Bytes that the evaluators of one segment may keep from window to window, all of a search's together; where that is
 * more, so many for each of its documents.
 */
export const heldRoom: { bytes: number; bytesPerDoc: number } = { bytes: 1 << 25, bytesPerDoc: 2 };

/** The part of what is left that one may take: there always is some for the next. */
const SHARE = 4;

/** So little isn't worth keeping. */
const LEAST_BYTES = 1 << 16;

/**
 * How much memory evaluators keep from window to window, where they could do without and take longer: a query may have
 * thousands of them, each with what it knows of millions of documents.
 */
export class HeldRoom {
  #left: number = heldRoom.bytes;
  #segment: object | null = null;

  /** Those of one segment are gone when the next one's come. */
  startSegment(segment: { readonly maxDoc: number }): void {
    if (segment === this.#segment) return;
    this.#segment = segment;
    this.#left = Math.max(heldRoom.bytes, segment.maxDoc * heldRoom.bytesPerDoc);
  }

  /** Bytes that one of them may take now; 0: it is to keep nothing. */
  get share(): number {
    const share = Math.floor(this.#left / SHARE);
    return share < LEAST_BYTES ? 0 : share;
  }

  take(bytes: number): void {
    this.#left -= bytes;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}
