import type { DocId } from "../../schema/document.js";
import type { SectionSink } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { GrowableU32 } from "../terms/growable-u32.js";
import type { ColumnDictionary } from "./column-dictionary.js";
import { type ColumnOrdinals, type ColumnShape, writeColumnSections } from "./column-sections.js";
import { ancestorEnds } from "./facet-tree.js";
import { ValueInterner } from "./value-interner.js";

/** Values, or documents, that are gone through between two pauses; a power of two. */
const ENTRIES_PER_STEP = 8192;

/** Collects a field's values by document, and writes them as a column. */
export class ColumnWriter {
  readonly #shape: ColumnShape;
  readonly #values: ValueInterner = new ValueInterner();
  /** Documents with a value, ascending; document i's values are entries `#starts[i]` to `#starts[i + 1]` of `#ids`. */
  readonly #docs: GrowableU32 = new GrowableU32();
  readonly #starts: GrowableU32 = new GrowableU32();
  readonly #ids: GrowableU32 = new GrowableU32();

  constructor(shape: ColumnShape) {
    this.#shape = shape;
    this.#starts.push(0);
  }

  /** Memory taken, with what `write` will take. */
  get bytesUsed(): number {
    const streams = this.#docs.array.length + this.#starts.array.length + this.#ids.array.length;
    return this.#values.bytesUsed * 2 + (streams + this.#ids.length * 3) * 4;
  }

  /**
   * Adds a value of a document; one only unless the column is multi-valued. Doc ids ascend.
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
    const id = this.#values.intern(bytes, length);
    this.#ids.push(id);
    this.#starts.array[docs.length] = this.#ids.length;
    if (!this.#shape.facet || id !== known) return;
    for (const end of ancestorEnds(bytes.subarray(0, length))) this.#values.intern(bytes, end);
  }

  /** Adds the column's sections; may be called again. */
  *write(sink: SectionSink, prefix: string, maxDoc: number): SlicedWork {
    const ids = yield* this.#values.sortedIds();
    const ordinalOfId = new Uint32Array(ids.length);
    for (let ordinal = 0; ordinal < ids.length; ordinal++) ordinalOfId[ids[ordinal]!] = ordinal;
    const dictionary = yield* this.#dictionary(ids);
    const ordinals = yield* this.#ordinals(ordinalOfId, maxDoc);
    yield* writeColumnSections(sink, prefix, this.#shape, dictionary, ordinals);
  }

  *#dictionary(ids: Uint32Array): SlicedWork<ColumnDictionary> {
    const offsets = new Uint32Array(ids.length + 1);
    for (let ordinal = 0; ordinal < ids.length; ordinal++) {
      offsets[ordinal + 1] = offsets[ordinal]! + this.#values.lengthOf(ids[ordinal]!);
    }
    yield;
    const bytes = new Uint8Array(offsets[ids.length]!);
    for (let ordinal = 0; ordinal < ids.length; ordinal++) {
      bytes.set(this.#values.valueAt(ids[ordinal]!), offsets[ordinal]!);
      if ((ordinal & (ENTRIES_PER_STEP - 1)) === 0) yield;
    }
    return { bytes, offsets };
  }

  *#ordinals(ordinalOfId: Uint32Array, maxDoc: number): SlicedWork<ColumnOrdinals> {
    const starts = new Uint32Array(maxDoc + 1);
    const ordinals = new Uint32Array(this.#ids.length);
    let length = 0;
    let docId = 0;
    for (let i = 0; i < this.#docs.length; i++) {
      for (; docId <= this.#docs.array[i]!; docId++) starts[docId] = length;
      const start = length;
      for (let at = this.#starts.array[i]!; at < this.#starts.array[i + 1]!; at++) {
        ordinals[length++] = ordinalOfId[this.#ids.array[at]!]!;
      }
      if (length - start > 1) length = start + sortDistinct(ordinals.subarray(start, length));
      if ((i & (ENTRIES_PER_STEP - 1)) === 0) yield;
    }
    for (; docId <= maxDoc; docId++) starts[docId] = length;
    return { starts, ordinals: ordinals.slice(0, length) };
  }
}

/** Sorts in place and moves the distinct values to the front; returns how many. */
function sortDistinct(values: Uint32Array): number {
  values.sort();
  let count = 1;
  for (let i = 1; i < values.length; i++) {
    if (values[i] !== values[count - 1]) values[count++] = values[i]!;
  }
  return count;
}
