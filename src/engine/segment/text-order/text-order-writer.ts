import { GrowableU32 } from "../../bytes/growable-u32.js";
import { releaseBuffer } from "../../bytes/release-buffer.js";
import { BuildingMemory } from "../../kernels/building-memory.js";
import type { DocId } from "../../schema/document.js";
import { writeTextSortPrefix } from "../../schema/text-sort-bytes.js";
import type { SectionSink } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { sortOrder } from "../strings/sort-strings.js";
import { ByteStrings } from "./byte-strings.js";
import { GatheredStrings } from "./gathered-strings.js";
import { EQUALS_PREVIOUS, sortAlike } from "./sort-alike.js";
import type { TextSource } from "./stored-texts.js";

/** Bytes kept of each text: few real values share that many and differ after them. */
export const PREFIX_BYTES = 64;

/** UTF-16 units of values that are read again at a time, so that memory is bounded. */
const UNITS_AT_A_TIME = 4 << 20;

/** Bytes of one document behind the value. */
const ROOM_BEHIND = 64 << 10;

/** Collects the values of a single-valued text field, and writes their ranks. */
export class TextOrderWriter {
  /** The first bytes of each value's sort bytes. */
  readonly #prefixes = new GatheredStrings(PREFIX_BYTES);
  /** Doc id of each value, and its UTF-16 units. */
  readonly #docs: GrowableU32 = new GrowableU32();
  readonly #lengths: GrowableU32 = new GrowableU32();
  /** UTF-16 units of the values that are longer than their prefix. */
  #cutUnits = 0;
  readonly #isComposed: boolean;

  /** @param isComposed whether values are ordered in NFC */
  constructor(isComposed: boolean) {
    this.#isComposed = isComposed;
  }

  /** Memory taken, with what `write` will take. */
  get bytesUsed(): number {
    return (
      this.#prefixes.bytesUsed +
      this.#docs.array.length * 8 +
      this.#docs.length * 16 +
      Math.min(this.#cutUnits, UNITS_AT_A_TIME)
    );
  }

  /** At most one value per document, doc ids ascending. */
  add(docId: DocId, text: string): void {
    const prefixes = this.#prefixes;
    const { piece } = prefixes;
    const length = writeTextSortPrefix(text, this.#isComposed, piece, prefixes.end, PREFIX_BYTES);
    prefixes.close(length);
    // What is as long may go on.
    if (length === PREFIX_BYTES) this.#cutUnits += text.length;
    this.#docs.push(docId);
    this.#lengths.push(text.length);
  }

  /** Gives back its memory; of no use afterwards. */
  release(): void {
    this.#prefixes.release();
  }

  /**
   * Adds the section, or none if there is no value; may be called again.
   *
   * @param source asked for long values that start alike
   */
  *write(sink: SectionSink, prefix: string, maxDoc: number, source: TextSource): SlicedWork {
    if (this.#docs.length === 0) return;
    const { order, runs } = yield* sortAlike(this.#prefixes, PREFIX_BYTES);
    yield* this.#sortRunsByBatch(order, runs, source);
    sink.addNumbers(`${prefix}ranks`, this.#ranks(order, maxDoc));
  }

  /** By doc id, of values in order. */
  #ranks(order: Uint32Array, maxDoc: number): Uint32Array {
    const memory = BuildingMemory.borrow();
    try {
      const orderAt = memory.place(order);
      const docs = memory.place(this.#docs.toSection());
      const ranks = memory.functions.zeros(4 * maxDoc);
      memory.functions.rankValues(orderAt, docs, order.length, ranks);
      return memory.words.slice(ranks >>> 2, (ranks >>> 2) + maxDoc);
    } finally {
      memory.giveBack();
    }
  }

  /** Puts values with one prefix into order, as many runs at a time as there is memory for. */
  *#sortRunsByBatch(order: Uint32Array, runs: Uint32Array, source: TextSource): SlicedWork {
    const texts = new ByteStrings();
    let start = 0;
    let units = 0;
    for (let at = 0; at < runs.length; at += 2) {
      for (let i = runs[at]!; i < runs[at + 1]!; i++) units += this.#lengths.array[order[i]!]!;
      if (units < UNITS_AT_A_TIME && at + 2 < runs.length) continue;
      yield* this.#sortRuns(order, { runs: runs.subarray(start, at + 2), units, texts }, source);
      start = at + 2;
      units = 0;
    }
    releaseBuffer(texts.bytes.bytes.buffer);
  }

  /** Reads all values of the runs in the order of the documents, which is that of the values. */
  *#sortRuns(sorted: Uint32Array, { runs, units, texts }: AlikeValues, source: TextSource): SlicedWork {
    const values = valuesOfRuns(sorted, runs);
    const docs = values.map((value) => this.#docs.array[value]!);
    texts.clear();
    // Room as well for what stands behind the last value in its document, without growing by doubling.
    texts.bytes.reserve(units + ROOM_BEHIND);
    yield* source.read(docs, texts);
    const textOfValue = new Uint32Array(this.#docs.length);
    for (let i = 0; i < values.length; i++) textOfValue[values[i]!] = i;
    const memory = BuildingMemory.borrow();
    try {
      const strings = texts.place(memory);
      for (let at = 0; at < runs.length; at += 2) {
        const run = sorted.subarray(runs[at]!, runs[at + 1]!);
        for (let i = 0; i < run.length; i++) run[i] = textOfValue[run[i]!]!;
        yield* sortOrder(memory, strings, run);
        let previous = -1;
        for (let i = 0; i < run.length; i++) {
          const text = run[i]!;
          const isEqual = previous >= 0 && texts.compare(previous, texts, text) === 0;
          run[i] = values[text]! | (isEqual ? EQUALS_PREVIOUS : 0);
          previous = text;
        }
      }
    } finally {
      memory.giveBack();
    }
  }
}

interface AlikeValues {
  /** Starts and ends of the runs whose values are read. */
  readonly runs: Uint32Array;
  /** UTF-16 units of those. */
  readonly units: number;
  /** Memory to read them into. */
  readonly texts: ByteStrings;
}

function valuesOfRuns(sorted: Uint32Array, runs: Uint32Array): Uint32Array {
  const values = new GrowableU32();
  for (let at = 0; at < runs.length; at += 2) {
    for (let i = runs[at]!; i < runs[at + 1]!; i++) values.push(sorted[i]!);
  }
  return values.toSection().sort();
}
