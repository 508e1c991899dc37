import type { DocId } from "../../schema/document.js";
import { textSortBytes } from "../../schema/text-sort-bytes.js";
import type { SectionSink } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { GrowableBytes } from "../terms/growable-bytes.js";
import { GrowableU32 } from "../terms/growable-u32.js";
import { sortSymbolStrings } from "../terms/sort-symbol-strings.js";
import { TextPrefixes } from "./text-prefixes.js";

/** Values ranked by their first bytes between two pauses, and whole values read. */
const VALUES_PER_STEP = 4096;
const WHOLE_VALUES_PER_STEP = 16;

/** Collects the values of a single-valued text field, and writes their ranks. */
export class TextOrderWriter {
  readonly #prefixes: TextPrefixes = new TextPrefixes();
  /** Doc id of each value. */
  readonly #docs: GrowableU32 = new GrowableU32();

  /** Memory taken, with what `write` will take. */
  get bytesUsed(): number {
    return this.#prefixes.bytesUsed + this.#docs.array.length * 4 + this.#docs.length * 16;
  }

  /** At most one value per document, doc ids ascending. */
  add(docId: DocId, text: string): void {
    this.#prefixes.add(text);
    this.#docs.push(docId);
  }

  /**
   * Adds the section, or none if there is no value; may be called again.
   *
   * @param textOf a document's value once more: asked for long values that start alike
   */
  *write(sink: SectionSink, prefix: string, maxDoc: number, textOf: (docId: DocId) => string): SlicedWork {
    if (this.#docs.length === 0) return;
    const prefixes = this.#prefixes;
    const docs = this.#docs.array;
    const sorted = yield* prefixes.sorted();
    const ranks = new Uint32Array(maxDoc);
    let rank = 0;
    let stepEnd = VALUES_PER_STEP;
    // Each turn ranks the values from `start` on that have one and the same prefix.
    for (let start = 0; start < sorted.length; ) {
      const first = sorted[start]!;
      let end = start + 1;
      while (end < sorted.length && prefixes.compare(first, prefixes, sorted[end]!) === 0) end++;
      if (end - start > 1 && prefixes.isCut(first)) {
        rank = yield* rankWholeValues(sorted.subarray(start, end), docs, ranks, rank, textOf);
      } else {
        rank++;
        for (let i = start; i < end; i++) ranks[docs[sorted[i]!]!] = rank;
      }
      start = end;
      if (start >= stepEnd) {
        stepEnd = start + VALUES_PER_STEP;
        yield;
      }
    }
    sink.add(`${prefix}ranks`, ranks);
  }
}

/** Ranks values that start alike by all of their bytes; returns the last rank given. */
function* rankWholeValues(
  indices: Uint32Array,
  docs: Uint32Array,
  ranks: Uint32Array,
  rankBefore: number,
  textOf: (docId: DocId) => string,
): SlicedWork<number> {
  const values = new GrowableBytes();
  const starts = new Uint32Array(indices.length + 1);
  for (let i = 0; i < indices.length; i++) {
    const bytes = textSortBytes(textOf(docs[indices[i]!]!));
    values.reserve(bytes.length);
    values.bytes.set(bytes, values.length);
    values.length += bytes.length;
    starts[i + 1] = values.length;
    if ((i & (WHOLE_VALUES_PER_STEP - 1)) === WHOLE_VALUES_PER_STEP - 1) yield;
  }
  const order = new Uint32Array(indices.length);
  for (let i = 0; i < order.length; i++) order[i] = i;
  yield* sortSymbolStrings(order, values.bytes, starts);
  let rank = rankBefore;
  for (let i = 0; i < order.length; i++) {
    const value = order[i]!;
    const isNew = i === 0 || !isEqual(values.bytes, starts, order[i - 1]!, value);
    if (isNew) rank++;
    ranks[docs[indices[value]!]!] = rank;
  }
  return rank;
}

/** Whether two of the byte strings that lie end to end, the ith starting at `starts[i]`, are equal. */
function isEqual(bytes: Uint8Array, starts: Uint32Array, a: number, b: number): boolean {
  const length = starts[a + 1]! - starts[a]!;
  if (starts[b + 1]! - starts[b]! !== length) return false;
  let i = 0;
  while (i < length && bytes[starts[a]! + i] === bytes[starts[b]! + i]) i++;
  return i === length;
}
