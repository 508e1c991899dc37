/** Calls back once after the delay unless cancelled. */
export interface Timers {
  /** Milliseconds, of which only differences count. */
  now(): number;
  after(delayMs: number, callback: () => void): { cancel(): void };
}

/** Rings if what is expected doesn't come in time: one timer, however often something new is expected. */
export class Watch {
  readonly #timers: Timers;
  #timer: { cancel(): void } | undefined;
  #timerAt = 0;
  #dueAt = 0;
  #ring: (() => void) | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** In place of what was expected before. */
  expect(withinMs: number, ring: () => void): void {
    this.#dueAt = this.#timers.now() + withinMs;
    this.#ring = ring;
    // A timer that comes too early is set anew then.
    if (this.#timer === undefined || this.#timerAt > this.#dueAt) this.#setTimer(withinMs);
  }

  /** Nothing is expected any more. */
  end(): void {
    this.#ring = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #setTimer(delayMs: number): void {
    this.#timer?.cancel();
    this.#timerAt = this.#timers.now() + delayMs;
    this.#timer = this.#timers.after(delayMs, () => this.#due());
  }

  #due(): void {
    this.#timer = undefined;
    const leftMs = this.#dueAt - this.#timers.now();
    if (leftMs > 0) {
      this.#setTimer(leftMs);
      return;
    }
    const ring = this.#ring;
    this.#ring = undefined;
    ring?.();
  }
}
