import { CorruptionError } from "../../../errors/index.js";
import type { DocId, DocumentId } from "../../schema/document.js";
import type { SectionSource } from "../sections.js";
import { compareDocumentIds, DOCUMENT_ID_BYTES, documentIdAt, writeDocumentId } from "./document-id-bytes.js";

/** Doc id to document id and back. */
export class DocumentIdsReader {
  readonly #bytes: Uint8Array;
  /** Doc ids sorted by their document ids. */
  readonly #order: Uint32Array;
  readonly #wanted: Uint8Array = new Uint8Array(DOCUMENT_ID_BYTES);

  /** @throws CorruptionError naming `fileName` if the sections don't fit `maxDoc` documents */
  constructor(source: SectionSource, maxDoc: number, fileName: string) {
    this.#bytes = source.u8("ids");
    this.#order = source.u32("ids.order");
    if (this.#bytes.length !== maxDoc * DOCUMENT_ID_BYTES || this.#order.length !== maxDoc) {
      throw new CorruptionError(fileName, `its ids are not those of ${maxDoc} documents`);
    }
  }

  documentId(docId: DocId): DocumentId {
    return documentIdAt(this.#bytes, docId * DOCUMENT_ID_BYTES);
  }

  /** -1 if there is no such document, or the text is no document id. O(log n). */
  docIdOf(documentId: DocumentId): DocId {
    if (!writeDocumentId(documentId, this.#wanted, 0)) return -1;
    let low = 0;
    let high = this.#order.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const docId = this.#order[middle]!;
      const order = compareDocumentIds(this.#bytes, docId * DOCUMENT_ID_BYTES, this.#wanted, 0);
      if (order === 0) return docId;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** What is wrong with the sections, one sentence each. */
  check(): string[] {
    const bytes = this.#bytes;
    const order = this.#order;
    for (let i = 0; i < order.length; i++) {
      if (order[i]! >= order.length) return [`'ids.order' names document ${order[i]} of ${order.length}`];
    }
    // Strictly ascending ids also mean that every document is named once.
    for (let i = 1; i < order.length; i++) {
      const previous = order[i - 1]! * DOCUMENT_ID_BYTES;
      if (compareDocumentIds(bytes, previous, bytes, order[i]! * DOCUMENT_ID_BYTES) >= 0) {
        return [`'ids.order' is not strictly ascending at entry ${i}`];
      }
    }
    return [];
  }
}
