import { compareBytes } from "../../schema/compare-bytes.js";
import type { DocId } from "../../schema/document.js";
import { textSortBytes } from "../../schema/text-sort-bytes.js";
import type { SectionSink } from "../sections.js";
import { GrowableU32 } from "../terms/growable-u32.js";
import { TextPrefixes } from "./text-prefixes.js";

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
  write(sink: SectionSink, prefix: string, maxDoc: number, textOf: (docId: DocId) => string): void {
    if (this.#docs.length === 0) return;
    const prefixes = this.#prefixes;
    const docs = this.#docs.array;
    const sorted = prefixes.sorted();
    const ranks = new Uint32Array(maxDoc);
    let rank = 0;
    // Each turn ranks the values from `start` on that have one and the same prefix.
    for (let start = 0; start < sorted.length; ) {
      const first = sorted[start]!;
      let end = start + 1;
      while (end < sorted.length && prefixes.compare(first, prefixes, sorted[end]!) === 0) end++;
      if (end - start > 1 && prefixes.isCut(first)) {
        rank = rankWholeValues(sorted.subarray(start, end), docs, ranks, rank, textOf);
      } else {
        rank++;
        for (let i = start; i < end; i++) ranks[docs[sorted[i]!]!] = rank;
      }
      start = end;
    }
    sink.add(`${prefix}ranks`, ranks);
  }
}

/** Ranks values that start alike by all of their bytes; returns the last rank given. */
function rankWholeValues(
  indices: Uint32Array,
  docs: Uint32Array,
  ranks: Uint32Array,
  rankBefore: number,
  textOf: (docId: DocId) => string,
): number {
  const values = Array.from(indices, (index) => ({
    docId: docs[index]!,
    bytes: textSortBytes(textOf(docs[index]!)),
  }));
  values.sort((a, b) => compareBytes(a.bytes, b.bytes));
  let rank = rankBefore;
  let previous: Uint8Array | null = null;
  for (const { docId, bytes } of values) {
    if (previous === null || compareBytes(previous, bytes) !== 0) rank++;
    previous = bytes;
    ranks[docId] = rank;
  }
  return rank;
}
