import type { DocId, DocumentId } from "../../schema/document.js";

/** Places; a power of two. */
const PLACES = 16_384;
/** Spreads readers, so that the same doc ids of two segments have different places. A prime. */
const READER_STEP = 7919;

/**
 * The ids, as text, of documents that a thread's segments were asked for repeatedly. A document has one place, which
 * whichever was asked for last takes: 320 KiB, and as many texts as are asked for again, of 48 bytes each.
 */
export class RecentIds {
  static #ofThread: RecentIds | null = null;
  /** By place: whose document it is, -1: nobody's; and which. */
  readonly #owners: Float64Array = new Float64Array(PLACES).fill(-1);
  readonly #docIds: Uint32Array = new Uint32Array(PLACES);
  /** Undefined until the document is asked for the second time: to keep every text would cost more than it spares. */
  readonly #ids: (DocumentId | undefined)[] = new Array<DocumentId | undefined>(PLACES).fill(undefined);
  #readerCount = 0;

  /** What all readers of a thread share. */
  static ofThread(): RecentIds {
    RecentIds.#ofThread ??= new RecentIds();
    return RecentIds.#ofThread;
  }

  /** A number that no other reader has. */
  newReader(): number {
    return this.#readerCount++;
  }

  /** Undefined where it isn't kept. */
  find(reader: number, docId: DocId): DocumentId | undefined {
    const place = placeOf(reader, docId);
    const isThere = this.#docIds[place] === docId && this.#owners[place] === reader;
    return isThere ? this.#ids[place] : undefined;
  }

  /** Says which id a document has that was asked for, and isn't kept. */
  note(reader: number, docId: DocId, id: DocumentId): void {
    const place = placeOf(reader, docId);
    if (this.#docIds[place] === docId && this.#owners[place] === reader) {
      this.#ids[place] = id;
      return;
    }
    this.#docIds[place] = docId;
    this.#owners[place] = reader;
    if (this.#ids[place] !== undefined) this.#ids[place] = undefined;
  }
}

function placeOf(reader: number, docId: DocId): number {
  return (docId + Math.imul(reader, READER_STEP)) & (PLACES - 1);
}
