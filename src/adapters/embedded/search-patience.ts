import { type SearchInterrupt, searchTimeout } from "../../engine/server-door.js";

/** A search would take longer than the thread that it is in can be kept. */
export class TooDear extends Error {}

/** Decides whether a search runs, and for how long. */
export interface SearchAdmission {
  readonly interrupt: SearchInterrupt;
  /** @throws TooDear if a search of so many microseconds isn't to run here */
  admit(microseconds: number): void;
}

/** Taking so many times as long as it may be expected to: given up, and sent to a thread. */
const TRIAL_FACTOR = 2;
/** What every search may take here, however cheap it has to be. */
const TRIAL_MS_MIN = 2;
/** What it may take while there is no thread yet: to start one takes much longer. */
const COLD_TRIAL_MS = 12;

/** The time that one search has: all of it on a thread, little where requests are answered. */
export class SearchPatience implements SearchAdmission, SearchInterrupt {
  readonly #limitMs: number;
  readonly #now: () => number;
  #endsAtMs: number;
  /** Infinity while the search may take as long as the limit allows. */
  #trialEndsAtMs = Infinity;
  /** Microseconds that it may be expected to take meanwhile. */
  #costBound = Infinity;
  #expectedMicroseconds = 0;

  /** @param now milliseconds from any moment on */
  constructor(limitMs: number, now: () => number = () => performance.now()) {
    this.#limitMs = limitMs;
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

  /**
   * What the search has been expected to take since the last `try`; 0 before it is known, and Infinity once its trial
   * has taken too long, which some do before it is: they look for all terms in a range, say.
   */
  get expectedMicroseconds(): number {
    return this.#expectedMicroseconds;
  }

  /** Gives the whole time again, for the next page of a search that stays open. */
  restart(): this {
    this.#endsAtMs = this.#now() + this.#limitMs;
    return this;
  }

  /**
   * From now on only what is cheap is let through, and ended if it isn't.
   *
   * @param costMax microseconds that it may be expected to take
   * @param isThreadThere whether a thread has been started that could take the search over
   */
  try(costMax: number, isThreadThere: boolean = true): this {
    const trialMs = Math.max(TRIAL_MS_MIN, (TRIAL_FACTOR * costMax) / 1000);
    this.#trialEndsAtMs = this.#now() + (isThreadThere ? trialMs : COLD_TRIAL_MS);
    this.#costBound = costMax;
    this.#expectedMicroseconds = 0;
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
    this.#expectedMicroseconds += microseconds;
    if (microseconds > this.#costBound) throw new TooDear();
  }

  check(): void {
    // The clock is looked at once: searches that take microseconds ask this a dozen times.
    const now = this.#now();
    if (now >= this.#trialEndsAtMs) {
      this.#expectedMicroseconds = Infinity;
      throw new TooDear();
    }
    if (now >= this.#endsAtMs) throw searchTimeout(this.#limitMs);
  }
}
