import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Of V8 by itself: it lets 64 MiB of buffers come to be between two collections, in each thread. */
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

/**
 * Frees buffers that nobody uses any more, in the thread that it is made in. A thread that writes indexes
 * drops tens of megabytes with each flush while its heap stays small, so that V8 sees no reason to look
 * for them; looking takes 7 ms there (measured, 10 MB of objects).
 */
export class BufferGarbage {
  readonly #bytesMax: number;
  readonly #collect: () => void;
  readonly #externalBytes: () => number;
  /** Buffers that were left by the last collection, without those that were known to be in use. */
  #bytesAfter = 0;

  /**
   * @param bytesMax how much of it may come together
   * @param vm what V8 does; tests have another one do it
   */
  constructor(
    bytesMax: number = GARBAGE_BYTES_MAX,
    vm: { readonly collect: () => void; readonly externalBytes: () => number } = {
      collect,
      externalBytes: () => getHeapStatistics().external_memory,
    },
  ) {
    this.#bytesMax = bytesMax;
    this.#collect = vm.collect;
    this.#externalBytes = vm.externalBytes;
  }

  /**
   * Collects garbage if there may be much of it: to be called after work that has dropped buffers, when
   * nobody waits.
   *
   * @param bytesInUse estimate of buffers that are in use; they come and go between two calls
   */
  collectIfMuch(bytesInUse: number): void {
    const bytes = Math.max(0, this.#externalBytes() - bytesInUse);
    // What was in use at the last collection, unknown to its caller, may have been given back since.
    this.#bytesAfter = Math.min(this.#bytesAfter, bytes);
    if (bytes - this.#bytesAfter >= this.#bytesMax) this.collect(bytesInUse);
  }

  /** Collects garbage however little there may be. */
  collect(bytesInUse: number): void {
    this.#collect();
    this.#bytesAfter = Math.max(0, this.#externalBytes() - bytesInUse);
  }
}
