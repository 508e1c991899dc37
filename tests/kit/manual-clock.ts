import type { Clock } from "../../src/ports/clock.js";

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = 0;
  /** What the clock on the wall is ahead of the time that passes. */
  #aheadMs = 0;
  readonly #alarms = new Set<{ readonly at: number; readonly ring: () => void }>();

  /** How many callbacks are still to come. */
  get waiting(): number {
    return this.#alarms.size;
  }

  now(): number {
    return this.#now + this.#aheadMs;
  }

  /** As an administrator does: what waits goes on waiting as long as before. */
  set(toMs: number): void {
    this.#aheadMs = toMs - this.#now;
  }

  after(delayMs: number, callback: () => void): { cancel(): void } {
    if (delayMs > 2 ** 31 - 1) throw new RangeError(`a timer of Node can't wait ${delayMs} ms`);
    const alarm = { at: this.#now + delayMs, ring: callback };
    this.#alarms.add(alarm);
    return { cancel: () => this.#alarms.delete(alarm) };
  }

  /** Rings what is due on the way, in order, and lets the work that it starts settle. */
  async advance(byMs: number): Promise<void> {
    const until = this.#now + byMs;
    for (;;) {
      const due = [...this.#alarms].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#now = due.at;
      this.#alarms.delete(due);
      due.ring();
      await new Promise((settled) => setImmediate(settled));
    }
    this.#now = until;
    await new Promise((settled) => setImmediate(settled));
  }
}
