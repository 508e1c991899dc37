import type { Clock } from "../../ports/clock.js";
import type { EmbeddedIndex } from "./embedded-index.js";

export interface AwakeLimits {
  /** Indexes that are open at the same time; more only while all of them are in use. */
  readonly countMax: number;
  /** Bytes that open indexes may take together, but for the one used last. */
  readonly bytesMax: number;
  /** An index that hasn't been used for so long is put to sleep. */
  readonly idleMs: number;
}

interface Use {
  readonly index: EmbeddedIndex;
  atMs: number;
}

/** Indexes that are being opened at the same time: enough to keep disk and thread pool busy. */
const OPENINGS_MAX = 4;

/** An index that is due but busy is looked at again after so long, and no two alarms are closer. */
const LOOK_AGAIN_MS = 1_000;

/**
 * The indexes of a server that are open, and when each was used last. Puts those to sleep that nobody
 * has used for a while, and the least recently used ones where memory or file handles are wanted for
 * others; never one that is in use, or that is merging.
 */
export class AwakeIndexes {
  readonly #limits: AwakeLimits;
  readonly #clock: Clock;
  readonly #onProblem: (error: unknown) => void;
  /** With the time of the last use, the least recent one first. */
  readonly #uses = new Map<EmbeddedIndex, Use>();
  /** The last one: using it again, as most do, changes no order. */
  #last: Use | null = null;
  #openings = 0;
  readonly #waiting: (() => void)[] = [];
  #alarm: { cancel(): void } | null = null;
  #isStopped = false;

  constructor(limits: AwakeLimits, clock: Clock, onProblem: (error: unknown) => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  /** An open index is used. */
  touch(index: EmbeddedIndex): void {
    if (this.#isStopped) return;
    const atMs = this.#clock.now();
    if (this.#last?.index === index) {
      this.#last.atMs = atMs;
    } else {
      this.#last = { index, atMs };
      this.#uses.delete(index);
      this.#uses.set(index, this.#last);
    }
    this.#watch(this.#limits.idleMs);
  }

  /** The index is closed for good. */
  forget(index: EmbeddedIndex): void {
    this.#uses.delete(index);
    if (this.#last?.index === index) this.#last = null;
  }

  /** Runs what opens an index after making room for it; few at a time. */
  async whenThereIsRoom<T>(open: () => Promise<T>): Promise<T> {
    if (this.#openings < OPENINGS_MAX) this.#openings++;
    // Whoever ends hands its turn over.
    else await new Promise<void>((resume) => this.#waiting.push(resume));
    try {
      await this.#makeRoom(this.#openings);
      return await open();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#openings--;
      else next();
    }
  }

  /** Puts no index to sleep from now on. */
  stop(): void {
    this.#isStopped = true;
    this.#alarm?.cancel();
    this.#alarm = null;
  }

  /** @param openings indexes that are about to open */
  async #makeRoom(openings: number): Promise<void> {
    let bytes = 0;
    for (const index of this.#uses.keys()) bytes += index.bytesInMemory;
    const candidates = [...this.#uses.keys()];
    // However large: else it would be opened anew with every request.
    if (openings === 0) candidates.pop();
    for (const index of candidates) {
      if (this.#uses.size + openings <= this.#limits.countMax && bytes <= this.#limits.bytesMax) return;
      if (!index.isIdle) continue;
      bytes -= index.bytesInMemory;
      await this.#putToSleep(index);
    }
  }

  async #putToSleep(index: EmbeddedIndex): Promise<void> {
    this.forget(index);
    try {
      await index.sleep();
    } catch (error) {
      this.#onProblem(error);
    }
  }

  /** One alarm at a time: for the index that is due first as things are. */
  #watch(delayMs: number): void {
    if (this.#alarm !== null || this.#isStopped || this.#uses.size === 0) return;
    this.#alarm = this.#clock.after(delayMs, () => {
      this.#alarm = null;
      void this.#sleepLongIdle();
    });
  }

  async #sleepLongIdle(): Promise<void> {
    const { idleMs } = this.#limits;
    const now = this.#clock.now();
    let delayMs = idleMs;
    for (const { index, atMs } of [...this.#uses.values()]) {
      if (this.#isStopped) return;
      if (atMs + idleMs > now) {
        delayMs = Math.min(delayMs, atMs + idleMs - now);
        break;
      }
      if (index.isIdle) await this.#putToSleep(index);
      else delayMs = LOOK_AGAIN_MS;
    }
    // What merges, and memory that grew while nothing was opened.
    await this.#makeRoom(0);
    this.#watch(Math.max(delayMs, LOOK_AGAIN_MS));
  }
}
