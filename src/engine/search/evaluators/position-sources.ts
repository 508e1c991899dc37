import type { DocId } from "../../schema/document.js";
import type { PostingCursor } from "../../segment/segment-reader.js";
import type { WindowPool } from "./window-pool.js";

/** Where one phrase token stands, document by document. */
export interface PositionSource {
  /** Positions in the current document, ascending; entries 0 to `length - 1`. */
  readonly positions: Uint32Array;
  readonly length: number;
  /** Moves to a document, which may hold the token; documents ascend from call to call. */
  moveTo(docId: DocId): void;
  /** Called after each window with documents that were moved to. */
  endWindow?(windowStart: DocId): void;
  /** Called when no windows come any more, as far as that is known. */
  release?(): void;
}

const NONE: Uint32Array = new Uint32Array(0);

/** Positions of one term. */
export class TermPositions implements PositionSource {
  positions: Uint32Array = NONE;
  length = 0;
  readonly #cursor: PostingCursor;
  readonly #pool: WindowPool;
  readonly #buffer: number;
  #index = 0;

  /** @param buffer of the pool's, of positions: another one for each source of a phrase */
  constructor(cursor: PostingCursor, pool: WindowPool, buffer: number) {
    this.#cursor = cursor;
    this.#pool = pool;
    this.#buffer = buffer;
  }

  /** Moves to a document that holds the term. */
  moveTo(docId: DocId): void {
    const cursor = this.#cursor;
    if (cursor.block < 0 || cursor.lastDoc(cursor.block) < docId) {
      cursor.loadBlock(cursor.seekBlock(docId));
      cursor.loadFreqs();
      this.#index = 0;
    }
    const docs = cursor.docs;
    let index = this.#index;
    while (docs[index]! < docId) index++;
    this.#index = index;
    const freq = cursor.freqs[index]!;
    this.positions = this.#pool.positionBuffer(this.#buffer, freq);
    this.length = cursor.positions(index, this.positions);
  }
}
