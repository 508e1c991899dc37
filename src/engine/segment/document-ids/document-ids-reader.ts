import { CorruptionError } from "../../../errors/index.js";
import type { DocId, DocumentId } from "../../schema/document.js";
import type { SectionSource } from "../sections.js";
import {
  DOCUMENT_ID_BYTES,
  documentIdOf,
  ID_PREFIX_BYTES,
  suffixIn,
  writeDocumentId,
} from "./document-id-bytes.js";
import { IdRuns } from "./id-runs.js";
import { RecentIds } from "./recent-ids.js";

/** Doc id to document id and back. */
export class DocumentIdsReader {
  readonly #runs: IdRuns;
  /** Doc ids sorted by their document ids; null if they are sorted as they are. */
  readonly #order: Uint32Array | null;
  readonly #scratch: Uint8Array = new Uint8Array(DOCUMENT_ID_BYTES);
  readonly #recent: RecentIds = RecentIds.ofThread();
  readonly #number: number = this.#recent.newReader();

  /** @throws CorruptionError naming `fileName` if the sections don't fit `maxDoc` documents */
  constructor(source: SectionSource, maxDoc: number, fileName: string) {
    const runs = new IdRuns(source.u32("ids.runs"), source.u8("ids.prefixes"), source.u32("ids.suffixes"));
    this.#runs = runs;
    this.#order = source.has("ids.order") ? source.u32("ids.order") : null;
    if (
      runs.suffixes.length !== maxDoc ||
      runs.prefixes.length !== runs.starts.length * ID_PREFIX_BYTES ||
      (this.#order !== null && this.#order.length !== maxDoc) ||
      (maxDoc > 0 && runs.starts[0] !== 0)
    ) {
      throw new CorruptionError(fileName, `its ids are not those of ${maxDoc} documents`);
    }
  }

  documentId(docId: DocId): DocumentId {
    return this.#recent.find(this.#number, docId) ?? this.#made(docId);
  }

  #made(docId: DocId): DocumentId {
    this.#runs.writeId(docId, this.#scratch);
    const id = documentIdOf(this.#scratch);
    this.#recent.note(this.#number, docId, id);
    return id;
  }

  /** Writes the id's 16 bytes. */
  writeId(docId: DocId, target: Uint8Array): void {
    this.#runs.writeId(docId, target);
  }

  /** -1 if there is no such document, or the text is no document id. O(log n), or its square for ids out of order. */
  docIdOf(documentId: DocumentId): DocId {
    if (!writeDocumentId(documentId, this.#scratch, 0)) return -1;
    const suffix = suffixIn(this.#scratch);
    const order = this.#order;
    const { suffixes } = this.#runs;
    let low = 0;
    let high = suffixes.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const docId = order === null ? middle : order[middle]!;
      const difference =
        this.#runs.comparePrefixes(this.#runs.runOf(docId), this.#scratch, 0) || suffixes[docId]! - suffix;
      if (difference === 0) return docId;
      if (difference < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** What is wrong with the sections, one sentence each. */
  check(): string[] {
    const { starts, suffixes } = this.#runs;
    for (let run = 1; run < starts.length; run++) {
      if (starts[run]! <= starts[run - 1]! || starts[run]! >= suffixes.length) {
        return [`run ${run} of 'ids.runs' starts at document ${starts[run]} of ${suffixes.length}`];
      }
    }
    const order = this.#order;
    if (order === null) return this.#runs.isAscending() ? [] : ["the ids don't ascend, and have no order"];
    for (let i = 0; i < order.length; i++) {
      if (order[i]! >= order.length) return [`'ids.order' names document ${order[i]} of ${order.length}`];
    }
    // Strictly ascending ids also mean that every document is named once.
    for (let i = 1; i < order.length; i++) {
      if (this.#runs.compare(order[i - 1]!, order[i]!) >= 0) {
        return [`'ids.order' is not strictly ascending at entry ${i}`];
      }
    }
    return [];
  }
}
