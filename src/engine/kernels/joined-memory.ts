import { dropImage } from "./dropped-images.js";
import { ExceededScore } from "./exceeded-score.js";
import { allocateImage, imageMemoryOf } from "./image-memory.js";
import { compiledKernels } from "./kernel-module.js";
import type { ScoredDocs } from "./scored-docs.js";
import { LIST_BYTES } from "./scratch-layout.js";
import { SegmentKernels } from "./segment-kernels.js";

const BLOCK_SIZE = 128;
/** Doc ids of a group that has a rank of its own. */
const GROUP_DOCS = 512;
/** Entries behind a list's last that kernels write and read. */
const PADDING = 4;
/** Room for lists, in bytes for each document: two halves of half as much. */
const BYTES_PER_DOC = 64;
const HALF_BYTES_MIN = 512 * 1024;
const HALF_BYTES_MAX = 4 * 1024 * 1024;
/** Nothing lies at 0, which stands for no bits. */
const FIRST_ADDRESS = 64;
/** A list may take so much of a half. */
const LISTS_PER_HALF = 2;
/** Documents that a snapshot may have more than the one before, as a share, for the same memory to do. */
const GROWTH = 1 / 4;
/** Lists in more than this part of the documents have bits. */
const DENSE_FRACTION = 1 / 256;
/** Lists in more than this part of them have rows of score bytes, too. */
const ROW_FRACTION = 1 / 64;
/** … if so many rows could be in a half. */
const ROWS_PER_HALF = 8;
const NO_BITS = new Uint32Array(0);
/** Documents that have a maximum in a row, and bytes of what its bytes stand for. */
const ROW_GROUP_DOCS = 16;
const ROW_SCORES_BYTES = 1024;

/**
 * A list of documents of several segments, numbered in a row, with their scores. A class, since V8 goes on making
 * object literals in an outdated form once a number in one has turned out not to be whole.
 */
export class JoinedList implements ScoredDocs {
  /** Address of all of this as kernels read it, so that a search has only that to say. */
  readonly address: number;
  readonly docs: number;
  readonly scores: number;
  readonly count: number;
  readonly lastDocs: number;
  readonly bounds: number;
  readonly scoreMax: number;
  readonly denseBits: number;
  readonly denseRanks: number;
  readonly row: number;
  readonly rowMaxima: number;
  readonly rowScores: number;
  /** False once its room has been given to others. */
  isKept = true;
  readonly exceeded: ExceededScore = new ExceededScore();

  constructor(
    address: number,
    {
      docs,
      scores,
      count,
      lastDocs,
      bounds,
      scoreMax,
      denseBits,
      denseRanks,
      row,
      rowMaxima,
      rowScores,
    }: ScoredDocs,
  ) {
    this.address = address;
    this.docs = docs;
    this.scores = scores;
    this.count = count;
    this.lastDocs = lastDocs;
    this.bounds = bounds;
    this.scoreMax = scoreMax;
    this.denseBits = denseBits;
    this.denseRanks = denseRanks;
    this.row = row;
    this.rowMaxima = rowMaxima;
    this.rowScores = rowScores;
  }
}

/** Documents of several segments, numbered in a row, as bits. */
export class JoinedMarks {
  readonly address: number;
  /** None once its room has been given to others: what remembers it would keep all of the memory. */
  bits: Uint32Array;
  /** How many there are. */
  readonly count: number;
  /** False once its room has been given to others. */
  isKept = true;

  constructor(address: number, bits: Uint32Array, count: number) {
    this.address = address;
    this.bits = bits;
    this.count = count;
  }
}

interface Half {
  readonly start: number;
  readonly end: number;
  at: number;
  readonly lists: (JoinedList | JoinedMarks)[];
}

/**
 * Memory for the joined lists of an index, for one thread. It has two halves: while one fills up, the other one's
 * lists stay; once it is full, the other one is emptied.
 */
export class JoinedMemory {
  readonly kernels: SegmentKernels;
  readonly #memory: WebAssembly.Memory;
  readonly #image: Uint8Array<SharedArrayBuffer>;
  readonly #maxDoc: number;
  readonly #halfBytes: number;
  readonly #halves: readonly [Half, Half];
  #current = 0;

  private constructor(
    memory: WebAssembly.Memory,
    image: Uint8Array<SharedArrayBuffer>,
    kernels: SegmentKernels,
    maxDoc: number,
  ) {
    const halfBytes = image.length / 2;
    this.#memory = memory;
    this.#image = image;
    this.kernels = kernels;
    this.#maxDoc = maxDoc;
    this.#halfBytes = halfBytes;
    this.#halves = [
      { start: FIRST_ADDRESS, at: FIRST_ADDRESS, end: halfBytes, lists: [] },
      { start: halfBytes, at: halfBytes, end: 2 * halfBytes, lists: [] },
    ];
  }

  /** For as many documents; null where there are no kernels, or no memory for them. */
  static create(docs: number): JoinedMemory | null {
    if (compiledKernels() === null) return null;
    const maxDoc = Math.ceil((docs * (1 + GROWTH)) / GROUP_DOCS) * GROUP_DOCS;
    const wanted = Math.ceil((maxDoc * BYTES_PER_DOC) / 2);
    const halfBytes = Math.min(HALF_BYTES_MAX, Math.max(HALF_BYTES_MIN, wanted)) & ~63;
    const image = allocateImage(2 * halfBytes);
    const memory = imageMemoryOf(image);
    const kernels = memory === null ? null : SegmentKernels.over({ memory, maxDoc });
    return memory === null || kernels === null ? null : new JoinedMemory(memory, image, kernels, maxDoc);
  }

  /** Of lists that it has room for; they are the system's until they are used. */
  get bytes(): number {
    return this.#image.length;
  }

  /** Whether it does for so many documents. */
  fits(docs: number): boolean {
    return docs <= this.#maxDoc && docs * (1 + GROWTH) ** 3 > this.#maxDoc;
  }

  /** Forgets all lists. */
  clear(): void {
    for (const half of this.#halves) this.#empty(half);
  }

  /** To be told once nobody looks at it any more. */
  drop(): void {
    this.clear();
    dropImage(this.#image);
  }

  /**
   * A new list of at most so many documents; null if they are too many, or have scores too small for kernels. What
   * was kept before may be gone.
   *
   * @param maxDoc documents of the snapshot, for which the memory does
   * @param fill writes doc ids, ascending, and their scores, f32 above 0; returns how many
   */
  add(
    docsMax: number,
    maxDoc: number,
    fill: (docs: Uint32Array, scores: Float32Array) => number,
  ): JoinedList | null {
    const { layout, functions } = this.kernels;
    const isDense = docsMax > this.#maxDoc * DENSE_FRACTION;
    const valueBytes = rounded((docsMax + PADDING) * 4);
    const blocks = Math.ceil(docsMax / BLOCK_SIZE);
    const lastDocBytes = rounded(blocks * 4);
    // Bounds are compared eight at a time.
    const boundBytes = rounded(blocks * 2 + 16);
    const rankBytes = isDense ? rounded((layout.bitsetBytes / (GROUP_DOCS / 8)) * 4) : 0;
    const bitBytes = isDense ? layout.bitsetBytes : 0;
    const hasRow = docsMax > maxDoc * ROW_FRACTION && maxDoc * ROWS_PER_HALF <= this.#halfBytes;
    const rowBytes = hasRow ? Math.ceil(maxDoc / GROUP_DOCS) * GROUP_DOCS : 0;
    const maximaBytes = rowBytes / ROW_GROUP_DOCS;
    const rowScoresBytes = hasRow ? ROW_SCORES_BYTES : 0;
    const address = this.#take(
      LIST_BYTES +
        rowBytes +
        maximaBytes +
        rowScoresBytes +
        bitBytes +
        2 * valueBytes +
        lastDocBytes +
        boundBytes +
        rankBytes,
    );
    if (address < 0) return null;
    const docs = address + LIST_BYTES;
    const scores = docs + valueBytes;
    const lastDocs = scores + valueBytes;
    const bounds = lastDocs + lastDocBytes;
    const { buffer } = this.#memory;
    const count = fill(new Uint32Array(buffer, docs, docsMax), new Float32Array(buffer, scores, docsMax));
    const scoreMax = count === 0 ? 0 : functions.sealScored(docs, scores, count, lastDocs, bounds);
    if (scoreMax < 0) {
      this.#halves[this.#current]!.at = address;
      return null;
    }
    const denseRanks = isDense ? bounds + boundBytes : 0;
    const denseBits = isDense ? denseRanks + rankBytes : 0;
    if (isDense) {
      functions.clearBits(denseBits, bitBytes);
      functions.markDocs(denseBits, docs, count);
      functions.rankBits(denseBits, denseRanks, bitBytes);
    }
    const row = hasRow && count > 0 ? denseBits + bitBytes : 0;
    const rowMaxima = row === 0 ? 0 : row + rowBytes;
    const rowScores = row === 0 ? 0 : rowMaxima + maximaBytes;
    if (row !== 0) functions.fillRow(row, rowMaxima, rowScores, rowBytes, docs, scores, count, scoreMax);
    const list = new JoinedList(address, {
      docs,
      scores,
      count,
      lastDocs,
      bounds,
      scoreMax,
      denseBits,
      denseRanks,
      row,
      rowMaxima,
      rowScores,
    });
    this.kernels.lists.layScored(address, list);
    this.#halves[this.#current]!.lists.push(list);
    return list;
  }

  /**
   * New bits; null if they are too many. What was kept before may be gone.
   *
   * @param fill sets bits, all of which are 0; what it throws is thrown on, and leaves their room free
   */
  addMarks(fill: (bits: Uint32Array) => void): JoinedMarks | null {
    const { layout, functions } = this.kernels;
    const address = this.#take(layout.bitsetBytes);
    if (address < 0) return null;
    const bits = this.kernels.bitsets.at(address).fill(0);
    try {
      fill(bits);
    } catch (error) {
      this.#halves[this.#current]!.at = address;
      throw error;
    }
    const marks = new JoinedMarks(address, bits, functions.countBits(address, layout.bitsetBytes));
    this.#halves[this.#current]!.lists.push(marks);
    return marks;
  }

  /** -1 if that is too much. */
  #take(bytes: number): number {
    if (bytes * LISTS_PER_HALF > this.#halfBytes - FIRST_ADDRESS) return -1;
    let half = this.#halves[this.#current]!;
    if (half.at + bytes > half.end) {
      this.#current = 1 - this.#current;
      half = this.#halves[this.#current]!;
      this.#empty(half);
    }
    const at = half.at;
    half.at += bytes;
    return at;
  }

  #empty(half: Half): void {
    for (const list of half.lists) {
      list.isKept = false;
      if (list instanceof JoinedMarks) list.bits = NO_BITS;
    }
    half.lists.length = 0;
    half.at = half.start;
  }
}

/** To whole vectors. */
function rounded(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}
