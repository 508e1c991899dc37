import { GrowableU32 } from "../../bytes/growable-u32.js";
import type { EngineField } from "../../schema/engine-schema.js";
import type { SlicedWork } from "../sliced-work.js";
import { ByteStrings } from "./byte-strings.js";
import { StoredTexts } from "./stored-texts.js";
import type { FieldBeginnings } from "./text-beginnings.js";

/** Bytes of values that are read at a time from one segment, about. */
const BYTES_AT_A_TIME = 8 << 20;
const VALUES_AT_A_TIME_MIN = 64;
/** What documents shrink to in their store. */
const COMPRESSION = 4;

/** Values of one field, of several segments, that have to be read whole to be compared. */
export class AlikeTexts {
  readonly #inputs: readonly FieldBeginnings[];
  readonly #texts: readonly StoredTexts[];
  /** By input, once it is asked for: a kept document of each rank. */
  readonly #docsOfRanks: (Uint32Array | null)[];

  constructor(field: EngineField, inputs: readonly FieldBeginnings[]) {
    this.#inputs = inputs;
    this.#texts = inputs.map(({ source }) => new StoredTexts(source.documents, field));
    this.#docsOfRanks = inputs.map(() => null);
  }

  /** A cursor over an input's ranks from `from` to `end - 1` that have entries. */
  cursor(input: number, words: Uint32Array, from: number, end: number): AlikeCursor {
    const { entries, source } = this.#inputs[input]!;
    const ranks = new GrowableU32();
    for (let rank = from; rank < end; rank++) if (words[(entries >>> 2) + rank] !== 0) ranks.push(rank);
    this.#docsOfRanks[input] ??= docsOfRanks(this.#inputs[input]!);
    const { bytesOnDisk, docCount } = source.documents;
    return new AlikeCursor(
      entries >>> 2,
      ranks.toSection(),
      this.#docsOfRanks[input],
      this.#texts[input]!,
      Math.max(VALUES_AT_A_TIME_MIN, Math.floor((BYTES_AT_A_TIME * docCount) / (COMPRESSION * bytesOnDisk))),
    );
  }
}

/** Ranks of one segment whose values begin alike, and as many of the values as are read at a time. */
class AlikeCursor {
  /** Words of the kernels' memory. */
  readonly #entries: number;
  readonly #ranks: Uint32Array;
  readonly #docsOfRanks: Uint32Array;
  readonly #source: StoredTexts;
  /** By the average of all documents, at most. */
  readonly #atATimeMax: number;
  /** As few as the values read last let fit: those that begin alike may be the longest of all. */
  #atATime: number = VALUES_AT_A_TIME_MIN;
  #at = 0;
  /** Values from `#first` to `#end - 1` are read: the first is text 0 of those that `#numbers` says. */
  #first = 0;
  #end = 0;
  #texts: ByteStrings = new ByteStrings();
  #numbers: Uint32Array = new Uint32Array(0);

  constructor(
    entries: number,
    ranks: Uint32Array,
    docsOfRanks: Uint32Array,
    source: StoredTexts,
    atATimeMax: number,
  ) {
    this.#entries = entries;
    this.#ranks = ranks;
    this.#docsOfRanks = docsOfRanks;
    this.#source = source;
    this.#atATimeMax = atATimeMax;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#ranks.length;
  }

  /** Reads the value at the cursor and those behind it, if it isn't read. */
  *read(): SlicedWork {
    if (this.#at < this.#end || this.isAtEnd) return;
    this.#first = this.#at;
    this.#end = Math.min(this.#first + this.#atATime, this.#ranks.length);
    const docs = this.#ranks.slice(this.#first, this.#end).map((rank) => this.#docsOfRanks[rank]!);
    const sorted = docs.slice().sort();
    this.#texts = new ByteStrings();
    yield* this.#source.read(sorted, this.#texts);
    const { length } = this.#texts.bytes;
    if (length > BYTES_AT_A_TIME) this.#atATime = Math.max(1, this.#atATime >>> 1);
    else if (length < BYTES_AT_A_TIME / 2) this.#atATime = Math.min(2 * this.#atATime, this.#atATimeMax);
    this.#numbers = docs.map((docId) => placeOf(docId, sorted));
  }

  /** Order of the values at two cursors that have read theirs. */
  compare(other: AlikeCursor): number {
    return this.#texts.compare(this.#number, other.#texts, other.#number);
  }

  /** Gives the value at the cursor its new rank, and goes on. */
  take(words: Uint32Array, newRank: number): void {
    words[this.#entries + this.#ranks[this.#at++]!] = newRank;
  }

  get #number(): number {
    return this.#numbers[this.#at - this.#first]!;
  }
}

/** Gives the values at the cursors and behind them new ranks from `newRank + 1` on; returns the last. */
export function* rankAlike(
  cursors: readonly AlikeCursor[],
  words: Uint32Array,
  newRank: number,
): SlicedWork<number> {
  let rank = newRank;
  const least: AlikeCursor[] = [];
  // Each turn takes one value off all cursors that stand at it.
  for (;;) {
    least.length = 0;
    for (const cursor of cursors) {
      if (cursor.isAtEnd) continue;
      yield* cursor.read();
      const order = least.length === 0 ? -1 : cursor.compare(least[0]!);
      if (order < 0) least.length = 0;
      if (order <= 0) least.push(cursor);
    }
    if (least.length === 0) return rank;
    rank++;
    for (const cursor of least) cursor.take(words, rank);
  }
}

function docsOfRanks({ ranks, rankCount, source }: FieldBeginnings): Uint32Array {
  const docs = new Uint32Array(rankCount + 1);
  for (let docId = 0; docId < ranks.length; docId++)
    if (source.docMap[docId]! >= 0) docs[ranks[docId]!] = docId;
  return docs;
}

function placeOf(docId: number, sorted: Uint32Array): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < docId) low = middle + 1;
    else high = middle;
  }
  return low;
}
