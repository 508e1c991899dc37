import { FindlingError } from "../../errors/index.js";
import { BUILDING_PARAMETERS, type BuildingFunctions } from "./building-functions.js";
import { compiledBuildingKernels } from "./kernel-module.js";
import { requireFunctions, requireOwnMemory } from "./required-exports.js";

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/**
 * What is kept for the next to build: two builders beside each other, a body's and that of a small write, or two
 * merges. V8 counts a memory that grows as a reason to look for garbage: with one of 4 MiB at most it did so for every
 * body of a thousand documents, whose builder takes 7, and for nearly nothing.
 */
const SPARES_MAX = 2;
/** What all that are kept take, unless a thread keeps less. */
const SPARE_BYTES_MAX = 16 << 20;

const TEXT_ENCODER = new TextEncoder();
const UTF8_BYTES_PER_UNIT = 3;
/** Room that there is for a text at least. */
const TEXT_BYTES_MIN = 4096;
const NO_TEXT = new Uint8Array(0);

/** Those that nobody uses at the moment, the shortest first: a new one takes longer than a document. */
const spares: BuildingMemory[] = [];
let spareBytesMax: number = SPARE_BYTES_MAX;
/** That of the work that runs at the moment, for all that it borrows. */
let lent: BuildingMemory | null = null;

/**
 * Memory with the kernels that build in it. It is no shared one, so that the garbage collector counts it;
 * growing it makes new buffers, which is why nobody may keep `bytes` and `words`.
 */
export class BuildingMemory {
  readonly functions: BuildingFunctions;
  readonly #memory: { readonly buffer: ArrayBuffer };
  #bytes: Uint8Array<ArrayBuffer>;
  #words: Uint32Array<ArrayBuffer>;
  #text: Uint8Array<ArrayBuffer> = NO_TEXT;
  #textAddress = 0;
  #hasTables = false;
  /** What kernels hash with, so that nobody can send words that all fall into one slot. */
  readonly #factor: Uint32Array = crypto.getRandomValues(new Uint32Array(2));
  /** Where regions of those begin who have borrowed it, each behind what the one before had taken by then. */
  readonly #borrowed: number[] = [];

  /** For `take`. @throws RangeError if no address space is left; TypeError if the module was built of other sources */
  constructor(module: WebAssembly.Module) {
    const { exports } = new WebAssembly.Instance(module);
    requireFunctions(exports, BUILDING_PARAMETERS);
    this.functions = exports;
    requireOwnMemory(exports);
    this.#memory = exports.memory;
    const { buffer } = this.#memory;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
  }

  /**
   * An empty memory.
   *
   * @param isForLittle as long as it is, another one may want the longest
   * @throws FindlingError `internal` where there are no kernels; `storage_unavailable` if no address space is left
   */
  static take(isForLittle = false): BuildingMemory {
    const memory = (isForLittle ? spares.shift() : spares.pop()) ?? open();
    memory.#clear();
    return memory;
  }

  /**
   * For a while: the memory that is lent, behind what is in it, or an empty one.
   * Whoever borrows last gives back first, and uses no texts and no letters.
   *
   * @throws FindlingError as `take`
   */
  static borrow(): BuildingMemory {
    if (lent === null) return BuildingMemory.take();
    lent.#borrowed.push(lent.functions.heapTop());
    return lent;
  }

  /** For a thread with little memory: from now on no more than so much is kept. More than 16 MiB never is. */
  static keepAtMost(bytes: number): void {
    spareBytesMax = Math.min(bytes, SPARE_BYTES_MAX);
    dropSpares();
  }

  /** For a thread at rest: nothing is kept for who builds next, who makes it anew. */
  static forgetSpares(): void {
    spares.length = 0;
  }

  /** Lets others borrow this memory, or none, until the next call; returns which it was before. */
  static lend(memory: BuildingMemory | null): BuildingMemory | null {
    const before = lent;
    lent = memory;
    return before;
  }

  /** To be called when nothing in it is needed any more, or nothing of what was taken since it was borrowed. */
  giveBack(): void {
    const start = this.#borrowed.pop();
    if (start !== undefined) {
      this.functions.releaseTo(start);
      return;
    }
    keep(this);
  }

  /** Valid until the next call of a function that allocates. */
  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#bytes.length === 0) this.#view();
    return this.#bytes;
  }

  /** The memory as 32-bit words. */
  get words(): Uint32Array<ArrayBuffer> {
    if (this.#words.length === 0) this.#view();
    return this.#words;
  }

  /** Writes the text to where `addText` and `numberOf` may take it from; returns its bytes. */
  writeText(text: string): number {
    const target = this.#roomForText(UTF8_BYTES_PER_UNIT * text.length);
    return TEXT_ENCODER.encodeInto(text, target).written;
  }

  /** Puts the first `length` bytes there. */
  writeTextBytes(source: Uint8Array, length: number): void {
    const target = this.#roomForText(length);
    for (let i = 0; i < length; i++) target[i] = source[i]!;
  }

  /** Where the last text is. */
  get textAddress(): number {
    return this.#textAddress;
  }

  /** A region that holds these bytes. */
  place({ buffer, byteOffset, byteLength }: Numbers): number {
    const address = this.functions.allocate(byteLength);
    this.bytes.set(new Uint8Array(buffer, byteOffset, byteLength), address);
    return address;
  }

  /**
   * Lets `addText` know letters besides ASCII's, by the tables of `analysis/word-tables.ts`. False if it knew
   * them before.
   */
  useTables(create: () => { readonly letters: Uint16Array; readonly symbols: Uint8Array }): boolean {
    if (this.#hasTables) return false;
    const { letters, symbols } = create();
    this.functions.useLetters(this.place(letters), this.place(symbols));
    this.#hasTables = true;
    return true;
  }

  #roomForText(bytes: number): Uint8Array<ArrayBuffer> {
    if (this.#text.length < bytes || this.#text.length === 0) {
      const room = Math.max(bytes, 2 * this.#text.length, TEXT_BYTES_MIN);
      this.#textAddress = this.functions.reserveText(room);
      this.#text = this.bytes.subarray(this.#textAddress, this.#textAddress + room);
    }
    return this.#text;
  }

  #clear(): void {
    this.functions.clear(this.#factor[0]!, this.#factor[1]!);
    this.#text = NO_TEXT;
    this.#hasTables = false;
  }

  #view(): void {
    const { buffer } = this.#memory;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
  }
}

function keep(memory: BuildingMemory): void {
  spares.push(memory);
  spares.sort((one, other) => one.bytes.length - other.bytes.length);
  if (spares.length > SPARES_MAX) spares.shift();
  dropSpares();
}

function dropSpares(): void {
  while (spares.reduce((sum, { bytes }) => sum + bytes.length, 0) > spareBytesMax) spares.pop();
}

function open(): BuildingMemory {
  const module = compiledBuildingKernels();
  try {
    return new BuildingMemory(module);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new FindlingError(
      "storage_unavailable",
      "no memory is left to build segments in; let the process have more address space",
      { cause: error },
    );
  }
}
