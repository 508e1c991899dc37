import { FindlingError } from "../../errors/index.js";

/** What may end a search before it is done. Asked between steps of a few milliseconds at most. */
export interface SearchInterrupt {
  /** @throws FindlingError `search_timeout` if the search is to end now */
  check(): void;
}

/** Lets a search take as long as it takes. */
export const NO_INTERRUPT: SearchInterrupt = { check() {} };

/** Steps of loops over terms between two looks at the clock; a power of two. */
export const STEPS_PER_CHECK = 1024;

/** Ends a search once it has taken too long. */
export class TimeLimit implements SearchInterrupt {
  readonly #limitMs: number;
  readonly #now: () => number;
  #endsAtMs: number;

  /** @param now milliseconds from any moment on; the thread's own clock unless given */
  constructor(limitMs: number, now: () => number = () => performance.now()) {
    this.#limitMs = limitMs;
    this.#now = now;
    this.#endsAtMs = now() + limitMs;
  }

  /** Gives the whole time again, for the next step of a search that stays open. */
  restart(): void {
    this.#endsAtMs = this.#now() + this.#limitMs;
  }

  check(): void {
    if (this.#now() >= this.#endsAtMs) throw searchTimeout(this.#limitMs);
  }
}

export function searchTimeout(limitMs: number): FindlingError {
  return new FindlingError(
    "search_timeout",
    `the search was stopped after ${limitMs / 1000} seconds; make it simpler (fewer words, longer prefixes, fewer misspellings, a smaller offset), or raise the server's search_timeout_ms`,
  );
}
