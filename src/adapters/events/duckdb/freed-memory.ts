/**
 * So often it is looked whether there may be much. Pools grow over tens of seconds; twice a second, a document beside a
 * load was visible later in each of four pairs in turns, 57 to 138 ms for 45 to 105 at the median: threads wait for
 * pools that are being looked through, by a thread of low priority, and touch anew what they were about to use again.
 */
const LOOK_MS = 5000;

/** By so much the process has grown since it was last asked for before that is worth some milliseconds of a thread. */
export const GROWTH_BYTES: number = 16 * 1024 * 1024;

/** What the process does; tests have another one do it. */
export interface GrowingProcess {
  /** @throws Error while no file descriptor is left, as it is read from a file */
  residentBytes(): number;
  /** Has the C library give back to the system what was freed, all threads' of the process. */
  giveBack(): Promise<void>;
}

/**
 * Keeps small what glibc keeps of freed memory: it has a pool for nearly each thread, and each pool stays as long as
 * its last piece that is in use, so that two thirds of the pools were free at the peak of a load (ADR 19). Nothing in
 * Node can have them given back, but DuckDB does so for its own sake, and where it is open anyway it can be asked to.
 * Where a process doesn't grow, nobody is asked.
 */
export class FreedMemory {
  readonly #process: GrowingProcess;
  /** The least that was resident since memory was last given back; infinite: not known. */
  #leastBytes = Infinity;
  #asking: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(process: GrowingProcess) {
    this.#process = process;
    this.#noteLeast();
  }

  start(): void {
    this.#timer ??= setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** Resolves once nobody is asked any more. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#asking;
  }

  /** Has memory given back if there may be much of it. */
  look(): void {
    if (this.#asking !== null) return;
    const residentBytes = this.#noteLeast();
    if (residentBytes - this.#leastBytes >= GROWTH_BYTES) this.#asking = this.#ask();
  }

  /** Returns what is resident now, the least known where that can't be told. */
  #noteLeast(): number {
    try {
      const residentBytes = this.#process.residentBytes();
      this.#leastBytes = Math.min(this.#leastBytes, residentBytes);
      return residentBytes;
    } catch {
      return this.#leastBytes;
    }
  }

  async #ask(): Promise<void> {
    try {
      await this.#process.giveBack();
    } catch {
      // It takes more memory then, no more than that.
    }
    this.#leastBytes = Infinity;
    this.#noteLeast();
    this.#asking = null;
  }
}
