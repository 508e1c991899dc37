import type { EngineField } from "../../schema/engine-schema.js";
import type { DocStoreReader, DocumentVisitor } from "../doc-store/doc-store-reader.js";
import type { SlicedWork } from "../sliced-work.js";
import type { ByteStrings } from "./byte-strings.js";
import { TextMember } from "./text-member.js";

/** A field's values once more, whole. */
export interface TextSource {
  /**
   * Appends the sort bytes of these documents' values to `texts`, in order.
   *
   * @param docs ascending; each has a value
   */
  read(docs: Uint32Array, texts: ByteStrings): SlicedWork;
}

/** Fewer documents are read one by one. */
const DOCUMENTS_MIN = 32;
/** Blocks read between two pauses. */
const BLOCKS_PER_STEP = 8;
/** Longer blocks hold one long document each, and are few. */
const ROOM_BYTES = 1 << 16;

/** Reads values from a document store, each block once. */
export class StoredTexts implements TextSource {
  readonly #store: DocStoreReader;
  readonly #member: TextMember;
  readonly #isStored: boolean;

  constructor(store: DocStoreReader, field: EngineField) {
    this.#store = store;
    this.#member = new TextMember(field.name, field.composed === true);
    this.#isStored = field.stored;
  }

  *read(docs: Uint32Array, texts: ByteStrings): SlicedWork {
    const store = this.#store;
    if (docs.length < DOCUMENTS_MIN) {
      const part = this.#isStored ? "stored" : "unstored";
      for (const docId of docs) {
        this.#member.appendSortBytes(store.partBytes(docId, part), texts.bytes, Number.POSITIVE_INFINITY);
        texts.close();
      }
      return;
    }
    // One for all blocks: one for each, some thousand in a flush, would stay until garbage is collected.
    const room = new Uint8Array(ROOM_BYTES);
    for (let next = 0; next < docs.length; ) {
      next = this.#readBlocks(docs, next, texts, room);
      yield;
    }
  }

  /** Reads the values from document `first` of these on that are in a few blocks; returns which comes next. */
  #readBlocks(docs: Uint32Array, first: number, texts: ByteStrings, room: Uint8Array): number {
    const store = this.#store;
    let next = first;
    const visit: DocumentVisitor = (docId, stored, unstored) => {
      if (docId !== docs[next]) return;
      this.#member.appendSortBytes(this.#isStored ? stored : unstored, texts.bytes, Number.POSITIVE_INFINITY);
      texts.close();
      next++;
    };
    for (let read = 0; read < BLOCKS_PER_STEP && next < docs.length; read++)
      store.passOverBlock(store.blockOf(docs[next]!), visit, room);
    return next;
  }
}
