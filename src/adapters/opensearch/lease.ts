import { FindlingError } from "../../errors/index.js";
import type { SearchCaller } from "../../ports/search-backend.js";

/** How long work waits for the cluster's word that it may go on. */
const SILENCE_MAX_MS = 20_000;

/**
 * Until when a server may send what is written, as it has told the others. A lease that has ended may be renewed still:
 * nobody goes by its end without taking it out of the index's state, and so it is either there or lost. What waits for
 * an answer as it ends is given up, and sent again once it is renewed.
 */
export class Lease implements SearchCaller {
  #until: number;
  #isLost = false;
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  /** @param until in Unix milliseconds */
  constructor(until: number) {
    this.#until = until;
  }

  get until(): number {
    return this.#until;
  }

  /** Whether nothing may be sent now. */
  get isGone(): boolean {
    return this.#isLost || this.#leftMs <= 0;
  }

  /** Whether another server has gone on: then nothing may be sent ever. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** @param listener called each time that it ends */
  whenGone(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setTimeout(this.#look, this.#leftMs);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Resolves once something may be sent. @throws FindlingError `storage_unavailable` if it is lost, or nothing is heard */
  async valid(): Promise<void> {
    const giveUpAt = Date.now() + SILENCE_MAX_MS;
    while (this.isGone) {
      if (this.#isLost || Date.now() >= giveUpAt) throw tooLate();
      await this.#changed(giveUpAt - Date.now());
    }
  }

  renew(until: number): void {
    this.#until = Math.max(this.#until, until);
    this.#wake();
  }

  lose(): void {
    this.#isLost = true;
    this.#tell();
    this.#wake();
  }

  get #leftMs(): number {
    return this.#until - Date.now();
  }

  #changed(atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, atMostMs);
      this.#waiting.add(wake);
    });
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    if (this.isGone) this.#tell();
    else this.#timer = setTimeout(this.#look, this.#leftMs);
  };
}

export function tooLate(): FindlingError {
  return new FindlingError(
    "storage_unavailable",
    "the OpenSearch cluster took so long that another server may have gone on; what was sent may be pending",
    { retryAfterSeconds: 1 },
  );
}
