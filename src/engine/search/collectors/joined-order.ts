import { testBit } from "../../bytes/bitset.js";
import { compareBytes } from "../../schema/compare-bytes.js";
import type { DocBits, OrdinalColumn } from "../../segment/segment-reader.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";

/** Documents that are passed at most, deleted ones too; those that aren't are put in order, 4 bytes each. */
export const DOCS_MAX = 16_384;
/** Documents that are passed between two looks at the clock. */
const DOCS_PER_STEP = 256;

/** One segment's documents by their values. */
interface Run {
  readonly column: OrdinalColumn;
  readonly liveDocs: DocBits | null;
  /** Number of its first document. */
  readonly start: number;
  /** Values that have been passed. */
  step: number;
  /** The value at hand; null: there is none left. */
  head: Uint8Array | null;
  /** Where the value's next document is. */
  entry: number;
}

/**
 * The live documents of a snapshot by the values of a field, ties in insertion order: those that come first and have a
 * value, numbered in a row, put in order as far as they have been asked for.
 */
export class JoinedOrder {
  readonly field: string;
  /** No other order of the snapshot's has it. */
  readonly name: string;
  readonly #descending: boolean;
  readonly #runs: Run[] = [];
  readonly #docs: number[] = [];
  /** Documents that were passed, deleted ones too; `DOCS_MAX` where there are no more. */
  #passed = 0;

  /** @param starts by segment, the number of its first document */
  constructor(
    segments: readonly SegmentStatistics[],
    starts: readonly number[],
    field: string,
    descending: boolean,
  ) {
    this.field = field;
    this.name = JoinedOrder.nameOf(field, descending);
    this.#descending = descending;
    for (const [index, { segment }] of segments.entries()) {
      const column = segment.column(field);
      if (column === null) continue;
      const { liveDocs } = segment;
      const run = { column, liveDocs, start: starts[index]!, step: -1, head: null, entry: 0 };
      this.#runs.push(run);
      this.#passValue(run);
    }
  }

  static nameOf(field: string, descending: boolean): string {
    return descending ? `-${field}` : `+${field}`;
  }

  /** The documents at the first places, those that have been put in order; `at` puts more there. */
  get known(): readonly number[] {
    return this.#docs;
  }

  /**
   * The document at a place; -1 where there are no more, or too many before it.
   *
   * @throws FindlingError `search_timeout`
   */
  at(place: number, interrupt: SearchInterrupt): number {
    while (place >= this.#docs.length && this.#passed < DOCS_MAX) {
      interrupt.check();
      this.#pass(DOCS_PER_STEP);
    }
    return this.#docs[place] ?? -1;
  }

  /** Passes so many documents if there are, and puts the live ones in order. */
  #pass(count: number): void {
    const docs = this.#docs;
    for (let left = count; left > 0; ) {
      const run = this.#first();
      if (run === null) {
        this.#passed = DOCS_MAX;
        return;
      }
      const { column, liveDocs, start } = run;
      const valueEnd = column.docStarts[this.#ordinalOf(run) + 1]!;
      const end = Math.min(valueEnd, run.entry + left);
      left -= end - run.entry;
      for (; run.entry < end; run.entry++) {
        const docId = column.docs[run.entry]!;
        if (liveDocs === null || testBit(liveDocs, docId)) docs.push(start + docId);
      }
      if (end === valueEnd) this.#passValue(run);
    }
    this.#passed += count;
  }

  /** The run of the first value, of several the first segment's; null: all have ended. */
  #first(): Run | null {
    let first: Run | null = null;
    for (const run of this.#runs) {
      if (run.head === null) continue;
      if (first === null) {
        first = run;
        continue;
      }
      const order = compareBytes(run.head, first.head!);
      if (this.#descending ? order > 0 : order < 0) first = run;
    }
    return first;
  }

  #passValue(run: Run): void {
    run.step++;
    const ordinal = this.#ordinalOf(run);
    const isLeft = run.step < run.column.valueCount;
    run.head = isLeft ? run.column.valueBytes(ordinal) : null;
    run.entry = isLeft ? run.column.docStarts[ordinal]! : 0;
  }

  #ordinalOf({ column, step }: Run): number {
    return this.#descending ? column.valueCount - 1 - step : step;
  }
}
