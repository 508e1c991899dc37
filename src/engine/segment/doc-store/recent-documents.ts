import type { DocumentTable } from "./document-table.js";

/** Documents kept at most, and their lengths together. */
const DOCUMENTS_MAX = 16_384;
const LENGTHS_MAX = 4 * 1024 * 1024;
/** Longer ones aren't kept: they would drive out too many others. */
const LENGTH_MAX = LENGTHS_MAX / 16;

/** A document as text, or as bytes. */
type Kept = string | Uint8Array;

/**
 * Bounds what all document stores of a thread keep of the documents that they were asked for repeatedly:
 * the one that was kept first goes first. Texts and bytes apart.
 */
export class RecentDocuments<Document extends Kept> {
  static readonly #texts: RecentDocuments<string> = new RecentDocuments();
  static readonly #bytes: RecentDocuments<Uint8Array> = new RecentDocuments();
  readonly #owners: DocumentTable<Document>[] = [];
  readonly #docIds: Uint32Array = new Uint32Array(DOCUMENTS_MAX);
  readonly #lengths: Uint32Array = new Uint32Array(DOCUMENTS_MAX);
  /** Documents ever kept, and those of them that are gone: places in the arrays, which are used in turn. */
  #added = 0;
  #dropped = 0;
  #length = 0;

  static textsOfThread(): RecentDocuments<string> {
    return RecentDocuments.#texts;
  }

  static bytesOfThread(): RecentDocuments<Uint8Array> {
    return RecentDocuments.#bytes;
  }

  /** Whether a document of that length would be kept. */
  takes(length: number): boolean {
    return length <= LENGTH_MAX;
  }

  /** Keeps a document in its store's table, where it isn't yet. */
  keep(owner: DocumentTable<Document>, docId: number, document: Document): void {
    if (!this.takes(document.length)) return;
    while (this.#added - this.#dropped === DOCUMENTS_MAX || this.#length + document.length > LENGTHS_MAX) {
      const place = this.#dropped++ % DOCUMENTS_MAX;
      this.#owners[place]!.delete(this.#docIds[place]!);
      this.#length -= this.#lengths[place]!;
    }
    const place = this.#added++ % DOCUMENTS_MAX;
    this.#owners[place] = owner;
    this.#docIds[place] = docId;
    this.#lengths[place] = document.length;
    this.#length += document.length;
    owner.set(docId, document);
  }
}
