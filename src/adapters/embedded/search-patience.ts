import { type SearchInterrupt, searchTimeout } from "../../engine/index.js";

/** A search would take longer than the thread that it is in can be kept. */
export class TooDear extends Error {}

/** Decides whether a search runs, and for how long. */
export interface SearchAdmission {
  readonly interrupt: SearchInterrupt;
  /** @throws TooDear if a search of so many microseconds isn't to run here */
  admit(microseconds: number): void;
}

/** Expected to take more: sent to a thread at once. */
export const COST_HERE_MAX_MICROSECONDS = 2_000;
/** Taking more, against expectation: given up, and sent to a thread. */
const TRIAL_MS = 4;
/** The same while there is no thread yet: to start one takes much longer. */
const COLD_TRIAL_MS = 12;

/** The time that one search has: all of it on a thread, little where requests are answered. */
export class SearchPatience implements SearchAdmission, SearchInterrupt {
  readonly #limitMs: number;
  readonly #costMax: number;
  readonly #now: () => number;
  #endsAtMs: number;
  /** Infinity while the search may take as long as the limit allows. */
  #trialEndsAtMs = Infinity;
  /** Microseconds that it may be expected to take meanwhile. */
  #costBound = Infinity;

  /**
   * @param costMax microseconds that what is cheap may be expected to take
   * @param now milliseconds from any moment on
   */
  constructor(
    limitMs: number,
    costMax: number = COST_HERE_MAX_MICROSECONDS,
    now: () => number = () => performance.now(),
  ) {
    this.#limitMs = limitMs;
    this.#costMax = costMax;
    this.#now = now;
    this.#endsAtMs = now() + limitMs;
  }

  get interrupt(): SearchInterrupt {
    return this;
  }

  /** At least 0. */
  get remainingMs(): number {
    return Math.max(0, this.#endsAtMs - this.#now());
  }

  get limitMs(): number {
    return this.#limitMs;
  }

  /** Gives the whole time again, for the next page of a search that stays open. */
  restart(): this {
    this.#endsAtMs = this.#now() + this.#limitMs;
    return this;
  }

  /**
   * From now on only what is cheap is let through, and ended if it isn't.
   *
   * @param isThreadThere whether a thread has been started that could take the search over
   */
  try(isThreadThere: boolean = true): this {
    this.#trialEndsAtMs = this.#now() + (isThreadThere ? TRIAL_MS : COLD_TRIAL_MS);
    this.#costBound = this.#costMax;
    return this;
  }

  /** From now on what is expected to take no longer than this is let through, and ended if it does. */
  hurry(milliseconds: number): this {
    this.#trialEndsAtMs = this.#now() + milliseconds;
    this.#costBound = milliseconds * 1000;
    return this;
  }

  /** From now on the search may take all the time that is left. */
  insist(): this {
    this.#trialEndsAtMs = Infinity;
    this.#costBound = Infinity;
    return this;
  }

  admit(microseconds: number): void {
    if (microseconds > this.#costBound) throw new TooDear();
  }

  check(): void {
    // The clock is looked at once: searches that take microseconds ask this a dozen times.
    const now = this.#now();
    if (now >= this.#trialEndsAtMs) throw new TooDear();
    if (now >= this.#endsAtMs) throw searchTimeout(this.#limitMs);
  }
}
