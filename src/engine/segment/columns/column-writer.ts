import { GrowableU32 } from "../../bytes/growable-u32.js";
import { BuildingMemory } from "../../kernels/building-memory.js";
import type { DocId } from "../../schema/document.js";
import { indexedFacetLength } from "../../schema/facet-bounds.js";
import type { SectionSink } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import type { ColumnDictionary } from "./column-dictionary.js";
import { type ColumnOrdinals, type ColumnShape, writeColumnSections } from "./column-sections.js";
import { facetDictionary } from "./facet-dictionary.js";
import { newAncestorEnds } from "./facet-tree.js";
import { ValueInterner } from "./value-interner.js";

/** Values, or documents, that are gone through between two pauses; a power of two. */
const ENTRIES_PER_STEP = 8192;

/** Words of sections for each path: where it starts, its parent, its subtree, its documents. */
const WORDS_PER_ANCESTOR = 4;
const NO_PATH = new Uint8Array(0);

/** Collects a field's values by document, and writes them as a column. */
export class ColumnWriter {
  readonly #shape: ColumnShape;
  readonly #values: ValueInterner = new ValueInterner();
  /** Documents with a value, ascending; document i's values are entries `#starts[i]` to `#starts[i + 1]` of `#ids`. */
  readonly #docs: GrowableU32 = new GrowableU32();
  readonly #starts: GrowableU32 = new GrowableU32();
  readonly #ids: GrowableU32 = new GrowableU32();
  /** By value id the last document that has it; as far as it has been asked for. */
  readonly #lastDocs: GrowableU32 = new GrowableU32();
  /** Documents that `#lastDocs` knows. */
  #docsKnown = 0;
  /** Bytes that paths above those of documents will take at most, and how many they are. */
  #ancestorBytes = 0;
  #ancestors = 0;

  constructor(shape: ColumnShape) {
    this.#shape = shape;
    this.#starts.push(0);
  }

  /** Memory taken, with what `write` will take. */
  get bytesUsed(): number {
    const streams =
      this.#docs.array.length +
      this.#starts.array.length +
      this.#ids.array.length +
      this.#lastDocs.array.length;
    const words = streams * 2 + this.#ids.length * 3 + this.#ancestors * WORDS_PER_ANCESTOR;
    return this.#values.bytesUsed * 2 + this.#ancestorBytes + words * 4;
  }

  /**
   * Adds a value of a document; one only unless the column is multi-valued. Doc ids ascend. Of a facet path no more is
   * added than is indexed (`indexedFacetLength`).
   *
   * @param bytes its sort bytes are the first `length` of these
   */
  addValue(docId: DocId, bytes: Uint8Array, length: number): void {
    const docs = this.#docs;
    if (docs.length === 0 || docs.array[docs.length - 1] !== docId) {
      docs.push(docId);
      this.#starts.push(this.#ids.length);
    }
    const known = this.#values.count;
    const isFacet = this.#shape.facet;
    const id = this.#values.intern(bytes, isFacet ? indexedFacetLength(bytes, length) : length);
    this.#ids.push(id);
    this.#starts.array[docs.length] = this.#ids.length;
    if (isFacet && id === known) this.#expectAncestors(id);
  }

  /** The last document with a value, of a column with one for each document; -1 if none has it. */
  lastDocWith(value: Uint8Array): DocId {
    const id = this.#values.idOf(value);
    if (id < 0) return -1;
    const last = this.#lastDocs;
    last.reserve(this.#values.count - last.length);
    last.length = this.#values.count;
    for (; this.#docsKnown < this.#docs.length; this.#docsKnown++) {
      last.array[this.#ids.array[this.#docsKnown]!] = this.#docs.array[this.#docsKnown]!;
    }
    return last.array[id]!;
  }

  /** Those that the path shares with the one before are among them already. */
  #expectAncestors(id: number): void {
    const path = this.#values.bytesOf(id);
    const ends = newAncestorEnds(path, id === 0 ? NO_PATH : this.#values.bytesOf(id - 1));
    this.#ancestors += ends.length;
    for (let i = 0; i < ends.length; i++) this.#ancestorBytes += ends[i]!;
  }

  /** Adds the column's sections; may be called again. */
  *write(sink: SectionSink, prefix: string, maxDoc: number): SlicedWork {
    const ids = yield* this.#values.sortedIds();
    const { dictionary, ordinals: ordinalOfId } = this.#shape.facet
      ? yield* facetDictionary(this.#values, ids)
      : { dictionary: yield* this.#dictionary(ids), ordinals: inverted(ids) };
    const ordinals = yield* this.#ordinals(ordinalOfId, maxDoc);
    yield* writeColumnSections(sink, prefix, this.#shape, dictionary, ordinals);
  }

  *#dictionary(ids: Uint32Array): SlicedWork<ColumnDictionary> {
    const offsets = this.#values.offsetsOf(ids);
    yield;
    const bytes = new Uint8Array(offsets[ids.length]!);
    for (let start = 0; start < ids.length; start += ENTRIES_PER_STEP) {
      this.#values.copy(ids.subarray(start, start + ENTRIES_PER_STEP), bytes, offsets[start]!);
      yield;
    }
    return { bytes, offsets };
  }

  *#ordinals(ordinalOfId: Uint32Array, maxDoc: number): SlicedWork<ColumnOrdinals> {
    const memory = BuildingMemory.borrow();
    try {
      const { functions } = memory;
      const docs = memory.place(this.#docs.toSection());
      const firsts = memory.place(this.#starts.toSection());
      const ids = memory.place(this.#ids.toSection());
      const placed = memory.place(ordinalOfId);
      const starts = functions.allocate(4 * (maxDoc + 1));
      const ordinals = functions.allocate(4 * this.#ids.length);
      let length = 0;
      for (let from = 0; from < this.#docs.length; from += ENTRIES_PER_STEP) {
        const to = Math.min(from + ENTRIES_PER_STEP, this.#docs.length);
        length = functions.placeOrdinals(docs, firsts, ids, placed, from, to, starts, ordinals, length);
        yield;
      }
      const { words } = memory;
      const all = words.slice(starts >>> 2, (starts >>> 2) + maxDoc + 1);
      all.fill(length, this.#nextDoc);
      return { starts: all, ordinals: words.slice(ordinals >>> 2, (ordinals >>> 2) + length) };
    } finally {
      memory.giveBack();
    }
  }

  /** Behind the last document with a value. */
  get #nextDoc(): number {
    return this.#docs.length === 0 ? 0 : this.#docs.array[this.#docs.length - 1]! + 1;
  }
}

/** By number its place among them. */
function inverted(numbers: Uint32Array): Uint32Array {
  const places = new Uint32Array(numbers.length);
  for (let place = 0; place < numbers.length; place++) places[numbers[place]!] = place;
  return places;
}
