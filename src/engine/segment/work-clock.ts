import type { SlicedWork } from "./sliced-work.js";

/** Tells how long sliced work has worked, without its pauses. */
export class WorkClock {
  readonly #now: () => number;
  #workedMs = 0;
  /** Since when it works; null while it pauses. */
  #sinceMs: number | null = null;

  /** @param now milliseconds from any moment on; the thread's own clock unless given */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get elapsedMs(): number {
    return this.#workedMs + (this.#sinceMs === null ? 0 : this.#now() - this.#sinceMs);
  }

  /** This work, timed. */
  *time<T>(work: SlicedWork<T>): SlicedWork<T> {
    for (;;) {
      this.#sinceMs = this.#now();
      const step = work.next();
      this.#workedMs = this.elapsedMs;
      this.#sinceMs = null;
      if (step.done === true) return step.value;
      yield;
    }
  }
}
