import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beginCollection } from "../../engine/server-door.js";

/** Bytes of dropped buffers at which a collection is asked for. V8 by itself lets 64 MiB of buffers come to be between two collections, in each thread. */
export const GARBAGE_BYTES_MAX: number = 16 * 1024 * 1024;

/** One of so many parts of a thread's budget, which has to hold what is in use besides. */
const GARBAGE_PART = 6;

/** How much may come together in a thread that has a budget: garbage is memory as well, and a small budget leaves little for it. */
export function garbageBytesMax(budgetBytes: number): number {
  return Math.min(GARBAGE_BYTES_MAX, budgetBytes / GARBAGE_PART);
}

/**
 * What the C library keeps in its pools once it is freed, in the thread that writes: 25 MB of 27 were free in the one
 * run that counted them, where its budget was 30. It can't be asked to give that back, so documents may take as much less.
 */
const POOLED_PART = 5;

/** The pools grow by what comes and goes within one body or flush, which a large budget makes no larger. */
const POOLED_BYTES_MAX = 16 * 1024 * 1024;

/** How much of a thread's budget is kept free for what the C library keeps. */
export function pooledBytesMax(budgetBytes: number): number {
  return Math.min(POOLED_BYTES_MAX, budgetBytes / POOLED_PART);
}

/** A whole collection in the calling thread. */
function collect(): void {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  collectGarbage();
}

/** What V8 does; tests have another one do it. */
export interface Collector {
  /** Has a whole collection made where there may be much garbage. */
  readonly begin: () => void;
  /** Makes a whole one at once. */
  readonly collect: () => void;
  readonly externalBytes: () => number;
}

const externalBytes = (): number => getHeapStatistics().external_memory;

/** In steps, beside other work: nobody waits for it, but more garbage comes together meanwhile. */
export const IN_STEPS: Collector = { begin: beginCollection, collect, externalBytes };

/** Each at once, for a small budget: the thread does nothing else meanwhile. */
export const AT_ONCE: Collector = { ...IN_STEPS, begin: collect };

/**
 * Frees buffers that nobody uses any more, in the thread that it is made in. A thread that writes indexes
 * drops tens of megabytes with each flush while its heap stays small, so that V8 sees no reason to look
 * for them.
 */
export class BufferGarbage {
  readonly #bytesMax: number;
  readonly #collector: Collector;
  /** Buffers that were left by the last collection, without those that were known to be in use. */
  #bytesAfter = 0;

  /** @param bytesMax how much of it may come together */
  constructor(bytesMax: number = GARBAGE_BYTES_MAX, collector: Collector = IN_STEPS) {
    this.#bytesMax = bytesMax;
    this.#collector = collector;
  }

  /**
   * Has garbage collected if there may be much of it: to be called after work that has
   * dropped buffers.
   *
   * @param bytesInUse estimate of buffers that are in use; they come and go between two calls
   */
  collectIfMuch(bytesInUse: number): void {
    const bytes = this.#bytesBeside(bytesInUse);
    // What was in use at the last collection, unknown to its caller, may have been given back since, and what has been
    // asked for takes a while.
    this.#bytesAfter = Math.min(this.#bytesAfter, bytes);
    if (bytes - this.#bytesAfter < this.#bytesMax) return;
    this.#collector.begin();
    this.#bytesAfter = this.#bytesBeside(bytesInUse);
  }

  /** Collects garbage however little there may be, at once: for a thread with nothing to do. */
  collect(bytesInUse: number): void {
    this.#collector.collect();
    this.#bytesAfter = this.#bytesBeside(bytesInUse);
  }

  #bytesBeside(bytesInUse: number): number {
    return Math.max(0, this.#collector.externalBytes() - bytesInUse);
  }
}
