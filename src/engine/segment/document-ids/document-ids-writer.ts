import { FindlingError } from "../../../errors/index.js";
import type { DocumentId } from "../../schema/document.js";
import type { SectionSink } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import {
  compareDocumentIds,
  DOCUMENT_ID_BYTES,
  documentIdAt,
  invalidDocumentId,
  writeDocumentId,
} from "./document-id-bytes.js";

/** Collects the ids of doc ids 0, 1, 2 … in that order. */
export class DocumentIdsWriter {
  #bytes: Uint8Array = new Uint8Array(64 * DOCUMENT_ID_BYTES);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Memory taken, with what `write` will take. */
  get bytesUsed(): number {
    return this.#bytes.length + this.#count * 4;
  }

  /** @throws FindlingError `internal` if the id isn't 32 lower-case hex digits; nothing is added then */
  add(id: DocumentId): void {
    const offset = this.#count * DOCUMENT_ID_BYTES;
    if (offset === this.#bytes.length) {
      const grown = new Uint8Array(2 * offset);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    if (!writeDocumentId(id, this.#bytes, offset)) throw invalidDocumentId(id);
    this.#count++;
  }

  /**
   * Adds the sections `ids` and `ids.order`.
   *
   * @throws FindlingError `internal` if an id was added twice
   */
  *write(sink: SectionSink): SlicedWork {
    const bytes = this.#bytes.slice(0, this.#count * DOCUMENT_ID_BYTES);
    const order = yield* sortedByDocumentId(bytes, this.#count);
    for (let i = 1; i < order.length; i++) {
      const offset = order[i]! * DOCUMENT_ID_BYTES;
      if (compareDocumentIds(bytes, order[i - 1]! * DOCUMENT_ID_BYTES, bytes, offset) === 0) {
        throw new FindlingError(
          "internal",
          `document id '${documentIdAt(bytes, offset)}' is in a segment twice`,
        );
      }
    }
    yield;
    sink.add("ids", bytes);
    sink.addNumbers("ids.order", order);
  }
}

/** Id bits that fit into an f64 beside a doc id of 31 bits. */
const KEY_SCALE = 2 ** 31;

/**
 * Doc ids sorted by document id. Sorting numbers is many times faster than calling a comparator, so
 * the first 22 bits of the id and the doc id go into one f64; what is equal in those bits, of random
 * ids next to nothing, is compared.
 */
function* sortedByDocumentId(bytes: Uint8Array, count: number): SlicedWork<Uint32Array> {
  const keys = new Float64Array(count);
  for (let docId = 0; docId < count; docId++) {
    const at = docId * DOCUMENT_ID_BYTES;
    const prefix = (bytes[at]! << 14) | (bytes[at + 1]! << 6) | (bytes[at + 2]! >> 2);
    keys[docId] = prefix * KEY_SCALE + docId;
  }
  yield;
  keys.sort();
  yield;
  const order = new Uint32Array(count);
  let runStart = 0;
  for (let i = 0; i < count; i++) {
    const prefix = Math.floor(keys[i]! / KEY_SCALE);
    order[i] = keys[i]! - prefix * KEY_SCALE;
    const isRunEnd = i + 1 === count || Math.floor(keys[i + 1]! / KEY_SCALE) !== prefix;
    if (!isRunEnd) continue;
    if (i > runStart) {
      order
        .subarray(runStart, i + 1)
        .sort((a, b) => compareDocumentIds(bytes, a * DOCUMENT_ID_BYTES, bytes, b * DOCUMENT_ID_BYTES));
    }
    runStart = i + 1;
  }
  return order;
}
