import type { DocumentId } from "./document.js";

/** Bytes that the ids of a source share: six of the time in milliseconds, six random ones. */
const SHARED_BYTES = 12;
const COUNT_MAX = 0xffff_ffff;

/**
 * Gives out new ids, 32 lower-case hex digits each: what the source has to itself, then a number that
 * counts up. So ids ascend from one to the next, and from a source to one begun later, which lets an
 * index keep them in next to no room; the random bits make them unique wherever they are given out.
 */
export class DocumentIdSource {
  #shared = "";
  #next: number = COUNT_MAX + 1;

  next(count: number): DocumentId[] {
    const ids: DocumentId[] = [];
    for (let i = 0; i < count; i++) {
      if (this.#next > COUNT_MAX) this.#begin();
      ids.push(this.#shared + this.#next.toString(16).padStart(8, "0"));
      this.#next++;
    }
    return ids;
  }

  #begin(): void {
    const bytes = crypto.getRandomValues(new Uint8Array(SHARED_BYTES));
    const milliseconds = Date.now();
    const view = new DataView(bytes.buffer);
    view.setUint16(0, Math.floor(milliseconds / 0x1_0000_0000));
    view.setUint32(2, milliseconds);
    this.#shared = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.#next = 0;
  }
}
