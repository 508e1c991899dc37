import { BuildingMemory } from "../../kernels/building-memory.js";
import type { EngineField } from "../../schema/engine-schema.js";
import type { BlockViewer } from "../doc-store/copy-documents.js";
import type { SlicedWork } from "../sliced-work.js";
import { AlikeTexts, rankAlike } from "./alike-texts.js";
import { FIELDS_MAX, type FieldBeginnings, TextBeginnings, type TextOrderSource } from "./text-beginnings.js";

/** Bytes kept of each value, as many as go into the memory that there is for all, from the least to the most. */
const BEGINNING_BYTES_MIN = 16;
const BEGINNING_BYTES_MAX = 64;
/** What each rank takes besides, and its value beside what is kept of it. */
const RANK_BYTES = 4;
const ENTRY_BYTES = 9;
/** What values of all fields that are read at a time may take, about: documents are read again for the next ones. */
const BYTES_MAX = 16 << 20;
/** Blocks of each source that tell how long values are. */
const SAMPLED_BLOCKS = 8;
/** Ranks given between two pauses, and blocks read. */
const RANKS_PER_STEP = 16_384;
const BLOCKS_PER_STEP = 16;

/** What `assembly/building/merge-orders.ts` returns, and words of its `OrderInput`. */
const DONE = 0;
const ALIKE = 2;
const RANK = 2;
const ALIKE_END = 3;

/**
 * Merges the ranks of single-valued text fields: what documents hold is found and compared by how it begins. Values that
 * begin alike and are different are read again, whole. Takes some dozen megabytes at most, whatever is merged, but for
 * one field at a time.
 */
export class TextOrderMerge {
  /** Null once it is closed, as is what is in it. */
  #memory: BuildingMemory | null;
  readonly #sources: readonly TextOrderSource[];
  /** Fields that are read at a time, in order. */
  readonly #groups: readonly (readonly EngineField[])[];
  readonly #beginningBytes: number;
  readonly #start: number;
  #current: TextBeginnings | null;

  /** @param fields those that have an order, one at least, as they will be merged */
  constructor(
    fields: readonly EngineField[],
    sources: readonly TextOrderSource[],
    bytesMax: number = BYTES_MAX,
  ) {
    const memory = BuildingMemory.take();
    this.#memory = memory;
    this.#sources = sources;
    this.#start = memory.functions.heapTop();
    const documents = sources.reduce((sum, source) => sum + source.documents.docCount, 0);
    const bytesEach = Math.floor(bytesMax / Math.max(1, documents)) - RANK_BYTES - ENTRY_BYTES;
    this.#beginningBytes = Math.min(BEGINNING_BYTES_MAX, Math.max(BEGINNING_BYTES_MIN, bytesEach)) & ~7;
    const sampled = this.#begin(fields.slice(0, FIELDS_MAX));
    const bytes = documents * (fields.length * RANK_BYTES + entryBytes(sampled, sources));
    const goes = Math.max(Math.ceil(bytes / bytesMax), Math.ceil(fields.length / FIELDS_MAX));
    const fieldsAtOnce = Math.max(1, Math.floor(fields.length / goes));
    this.#groups = Array.from({ length: Math.ceil(fields.length / fieldsAtOnce) }, (_, i) =>
      fields.slice(i * fieldsAtOnce, (i + 1) * fieldsAtOnce),
    );
    this.#current = this.#begin(this.#groups[0]!);
  }

  /** To be shown all blocks of a source that hold kept documents, before anything is merged. */
  viewerOf(source: number): BlockViewer {
    return this.#current!.viewerOf(source);
  }

  /** A field's ranks by new doc id, null if no kept document has a value. To be asked once per field, in order. */
  *merge(field: EngineField, newMaxDoc: number): SlicedWork<Uint32Array | null> {
    if (!this.#current!.fields.includes(field)) {
      this.#current = this.#begin(this.#groups.find((group) => group.includes(field))!);
      yield* this.#readDocuments();
    }
    const inputs = this.#current!.of(field);
    const top = this.#memory!.functions.heapTop();
    const hasAny = yield* this.#rank(field, inputs);
    this.#memory!.functions.releaseTo(top);
    if (!hasAny) return null;
    const merged = new Uint32Array(newMaxDoc);
    for (const input of inputs) {
      this.#mapRanks(input, merged);
      yield;
    }
    return merged;
  }

  /** Gives memory back; nothing else may be called afterwards. */
  close(): void {
    this.#memory?.giveBack();
    this.#memory = null;
    this.#current = null;
  }

  #begin(fields: readonly EngineField[]): TextBeginnings {
    this.#memory!.functions.releaseTo(this.#start);
    return new TextBeginnings(this.#memory!, fields, this.#sources, this.#beginningBytes);
  }

  *#readDocuments(): SlicedWork {
    for (let i = 0; i < this.#sources.length; i++) {
      const { documents } = this.#sources[i]!;
      const viewer = this.#current!.viewerOf(i);
      const isWanted = (block: number): boolean => this.#current!.wants(i, block);
      for (const { block, bytes } of documents.blocksInOrder(isWanted)) {
        viewer.see(block, bytes);
        if (block % BLOCKS_PER_STEP === BLOCKS_PER_STEP - 1) yield;
      }
    }
  }

  /** Puts new ranks in place of the entries; false if there is none. */
  *#rank(field: EngineField, inputs: readonly FieldBeginnings[]): SlicedWork<boolean> {
    const memory = this.#memory!;
    const { functions } = memory;
    const table = functions.newOrderInputs(inputs.length) >>> 2;
    const inputWords = functions.orderInputBytes() >>> 2;
    inputs.forEach(({ entries, rankCount }, i) => {
      memory.words.set([entries, rankCount], table + i * inputWords);
    });
    functions.beginOrders(table << 2, inputs.length, this.#beginningBytes);
    const alike = new AlikeTexts(field, inputs);
    for (;;) {
      const outcome = functions.mergeOrders(RANKS_PER_STEP);
      if (outcome === DONE) return functions.lastOrderRank() > 0;
      yield;
      if (outcome !== ALIKE) continue;
      const { words } = memory;
      const cursors = inputs.flatMap((_, i) => {
        const at = table + i * inputWords;
        const end = words[at + ALIKE_END]!;
        return end === 0 ? [] : [alike.cursor(i, words, words[at + RANK]!, end)];
      });
      functions.resumeOrders(yield* rankAlike(cursors, words, functions.lastOrderRank()));
    }
  }

  #mapRanks({ source, ranks, rankCount, entries }: FieldBeginnings, merged: Uint32Array): void {
    const { docMap } = source;
    const newRanks = this.#memory!.words.subarray(entries >>> 2, (entries >>> 2) + rankCount + 1);
    for (let docId = 0; docId < ranks.length; docId++) {
      const newDocId = docMap[docId]!;
      if (newDocId >= 0) merged[newDocId] = newRanks[ranks[docId]!]!;
    }
  }
}

/** What a document's values take, about. */
function entryBytes(beginnings: TextBeginnings, sources: readonly TextOrderSource[]): number {
  let documents = 0;
  sources.forEach(({ documents: store }, i) => {
    const viewer = beginnings.viewerOf(i);
    const step = Math.max(1, Math.floor(store.blockCount / SAMPLED_BLOCKS));
    for (let block = step >>> 1; block < store.blockCount; block += step) {
      viewer.see(block, store.readBlockBytes(block));
      documents += store.blockEndDoc(block) - store.blockFirstDoc(block);
    }
  });
  return beginnings.entryBytes / Math.max(1, documents);
}
