import { growByScratch } from "./image-memory.js";
import type { KernelFunctions } from "./kernel-functions.js";

const BLOCK_SIZE = 128;
/** Entries behind the last that kernels write and read. */
const PADDING = 4;
/** Room that is added at least, and most that one segment and thread may have. */
const ARENA_BYTES_MIN = 256 * 1024;
const ARENA_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Documents with their scores in scratch memory, by doc id. Addresses are multiples of 16. A class: a copy of the room
 * with more properties gets a shape of its own each time, which took a phrase over all fields several microseconds.
 */
export class ScoredDocs {
  readonly docs: number;
  readonly scores: number;
  readonly count: number;
  /** By block of 128: the last doc id, and the 16-bit bound as a share of `scoreMax`. */
  readonly lastDocs: number;
  readonly bounds: number;
  readonly scoreMax: number;

  constructor({ docs, scores, lastDocs, bounds }: ScoredRoom, count: number, scoreMax: number) {
    this.docs = docs;
    this.scores = scores;
    this.count = count;
    this.lastDocs = lastDocs;
    this.bounds = bounds;
    this.scoreMax = scoreMax;
  }
}

/** Room for as many documents and scores as were asked for. */
export type ScoredRoom = Pick<ScoredDocs, "docs" | "scores" | "lastDocs" | "bounds">;

/** Where a search keeps the documents that parts of its query match, while it ranks the whole. */
export class ScoredDocsArena {
  readonly #memory: WebAssembly.Memory;
  readonly #functions: KernelFunctions;
  #start = 0;
  #end = 0;
  #at = 0;

  constructor(memory: WebAssembly.Memory, functions: KernelFunctions) {
    this.#memory = memory;
    this.#functions = functions;
  }

  /** Forgets the documents of the search before. */
  begin(): void {
    this.#at = this.#start;
  }

  /** Room for `count` documents; null if that is too much. Valid until `begin`. */
  reserve(count: number): ScoredRoom | null {
    const values = rounded((count + PADDING) * 4);
    const blocks = Math.ceil(count / BLOCK_SIZE);
    // Bounds are compared eight at a time.
    const lastDocBytes = rounded(blocks * 4);
    const boundBytes = rounded(blocks * 2 + 16);
    const at = this.#take(2 * values + lastDocBytes + boundBytes);
    if (at === null) return null;
    const lastDocs = at + 2 * values;
    return { docs: at, scores: at + values, lastDocs, bounds: lastDocs + lastDocBytes };
  }

  /** Address of so many bytes for something else, a multiple of 16; null if that is too much. Valid until `begin`. */
  reserveBytes(bytes: number): number | null {
    return this.#take(rounded(bytes));
  }

  /** What lies at an address that `reserveBytes` has given. */
  words(address: number, count: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, address, count);
  }

  /** Doc ids and scores to be filled in. */
  views(room: ScoredRoom, count: number): { readonly docs: Uint32Array; readonly scores: Float32Array } {
    const { buffer } = this.#memory;
    return {
      docs: new Uint32Array(buffer, room.docs, count),
      scores: new Float32Array(buffer, room.scores, count),
    };
  }

  /** Makes a list of filled room, which holds at least one document. */
  seal(room: ScoredRoom, count: number): ScoredDocs {
    const scoreMax = this.#functions.sealScored(room.docs, room.scores, count, room.lastDocs, room.bounds);
    return new ScoredDocs(room, count, scoreMax);
  }

  #take(bytes: number): number | null {
    if (this.#at + bytes > this.#end) {
      // Searches keep what they have been given, so that the new room comes on top.
      const least = Math.max(ARENA_BYTES_MIN, 2 * (this.#end - this.#start), bytes);
      // Powers of two, so that whoever takes this thread's place has use for it.
      const wanted = 2 ** Math.ceil(Math.log2(least));
      if (wanted > ARENA_BYTES_MAX) return null;
      try {
        this.#start = growByScratch(this.#memory, wanted);
      } catch {
        return null;
      }
      this.#end = this.#start + wanted;
      this.#at = this.#start;
    }
    const at = this.#at;
    this.#at += bytes;
    return at;
  }
}

function rounded(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}
