import { releaseBuffer } from "../../bytes/release-buffer.js";
import type { DocId } from "../../schema/document.js";
import type { SectionSink } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { GrowableU32 } from "../terms/growable-u32.js";
import { sortStrings } from "../terms/sort-strings.js";
import { ByteStrings } from "./byte-strings.js";
import type { TextSource } from "./stored-texts.js";
import { TextPrefixes } from "./text-prefixes.js";

/** Values ranked between two pauses. */
const VALUES_PER_STEP = 4096;
/** UTF-16 units of values that are read again at a time, so that memory is bounded. */
const UNITS_AT_A_TIME = 4 << 20;

/** Collects the values of a single-valued text field, and writes their ranks. */
export class TextOrderWriter {
  readonly #prefixes: TextPrefixes = new TextPrefixes();
  /** Doc id of each value, and its UTF-16 units. */
  readonly #docs: GrowableU32 = new GrowableU32();
  readonly #lengths: GrowableU32 = new GrowableU32();
  /** UTF-16 units of the values that are longer than their prefix. */
  #cutUnits = 0;

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
    const index = this.#prefixes.add(text);
    if (this.#prefixes.isCut(index)) this.#cutUnits += text.length;
    this.#docs.push(docId);
    this.#lengths.push(text.length);
  }

  /**
   * Adds the section, or none if there is no value; may be called again.
   *
   * @param source asked for long values that start alike
   */
  *write(sink: SectionSink, prefix: string, maxDoc: number, source: TextSource): SlicedWork {
    if (this.#docs.length === 0) return;
    const sorted = yield* this.#prefixes.sorted();
    yield* this.#sortAlike(sorted, source);
    const ranks = new Uint32Array(maxDoc);
    let rank = 0;
    for (let i = 0; i < sorted.length; i++) {
      if ((sorted[i]! & EQUALS_PREVIOUS) === 0) rank++;
      ranks[this.#docs.array[sorted[i]! & VALUE]!] = rank;
    }
    sink.addNumbers(`${prefix}ranks`, ranks);
  }

  /** Puts values with one prefix into order, and marks each that equals the one before it. */
  *#sortAlike(sorted: Uint32Array, source: TextSource): SlicedWork {
    const alike: AlikeValues = { runs: new GrowableU32(), units: 0, texts: new ByteStrings() };
    for (let start = 0; start < sorted.length; ) {
      start = this.#findAlike(sorted, start, alike);
      if (alike.units >= UNITS_AT_A_TIME) {
        yield* this.#sortRuns(sorted, alike, source);
        alike.runs.length = 0;
        alike.units = 0;
      }
      yield;
    }
    yield* this.#sortRuns(sorted, alike, source);
    releaseBuffer(alike.texts.bytes.bytes.buffer);
  }

  /** Goes through some values from `start` on, which begin a run; returns where it stopped. */
  #findAlike(sorted: Uint32Array, start: number, alike: AlikeValues): number {
    const prefixes = this.#prefixes;
    const stop = Math.min(sorted.length, start + VALUES_PER_STEP);
    let at = start;
    while (at < stop && alike.units < UNITS_AT_A_TIME) {
      const first = sorted[at]!;
      let end = at + 1;
      while (end < sorted.length && prefixes.compare(first, prefixes, sorted[end]!) === 0) end++;
      if (end - at > 1 && prefixes.isCut(first)) {
        alike.runs.push(at);
        alike.runs.push(end);
        for (let i = at; i < end; i++) alike.units += this.#lengths.array[sorted[i]!]!;
      } else {
        for (let i = at + 1; i < end; i++) sorted[i]! |= EQUALS_PREVIOUS;
      }
      at = end;
    }
    return at;
  }

  /** Reads all values of the runs in the order of the documents, which is that of the values. */
  *#sortRuns(sorted: Uint32Array, { runs, units, texts }: AlikeValues, source: TextSource): SlicedWork {
    const values = valuesOfRuns(sorted, runs);
    const docs = values.map((value) => this.#docs.array[value]!);
    texts.clear();
    texts.bytes.reserve(units);
    yield* source.read(docs, texts);
    const textOfValue = new Uint32Array(this.#docs.length);
    for (let i = 0; i < values.length; i++) textOfValue[values[i]!] = i;
    for (let at = 0; at < runs.length; at += 2) {
      const run = sorted.subarray(runs.array[at]!, runs.array[at + 1]!);
      for (let i = 0; i < run.length; i++) run[i] = textOfValue[run[i]!]!;
      yield* sortStrings(run, texts.bytes.bytes, texts.starts);
      let previous = -1;
      for (let i = 0; i < run.length; i++) {
        const text = run[i]!;
        const isEqual = previous >= 0 && texts.compare(previous, texts, text) === 0;
        run[i] = values[text]! | (isEqual ? EQUALS_PREVIOUS : 0);
        previous = text;
      }
    }
  }
}

interface AlikeValues {
  /** Starts and ends of the runs whose values have to be read. */
  readonly runs: GrowableU32;
  /** UTF-16 units of those. */
  units: number;
  /** Memory to read them into. */
  readonly texts: ByteStrings;
}

/** The lower bits of a sorted entry are a value's number; doc ids have 31 bits. */
const VALUE = 0x7fff_ffff;
const EQUALS_PREVIOUS = 0x8000_0000;

function valuesOfRuns(sorted: Uint32Array, runs: GrowableU32): Uint32Array {
  const values = new GrowableU32();
  for (let at = 0; at < runs.length; at += 2) {
    for (let i = runs.array[at]!; i < runs.array[at + 1]!; i++) values.push(sorted[i]!);
  }
  return values.toSection().sort();
}
