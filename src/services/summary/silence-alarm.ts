import type { Clock } from "../../ports/clock.js";

/** Rings once where nothing was heard for so long: one timer, set anew when it is due, however much is heard. */
export class SilenceAlarm {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #ring: () => void;
  /** When something was heard last since the timer was set. */
  #heardAt: number | undefined;
  #timer: { cancel(): void };

  constructor(clock: Clock, silenceMs: number, ring: () => void) {
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#ring = ring;
    this.#timer = clock.after(silenceMs, () => this.#due());
  }

  /** Something was heard. */
  postpone(): void {
    this.#heardAt = this.#clock.now();
  }

  cancel(): void {
    this.#timer.cancel();
  }

  #due(): void {
    const silenceMs = this.#silenceMs;
    const leftMs = this.#heardAt === undefined ? 0 : this.#heardAt + silenceMs - this.#clock.now();
    this.#heardAt = undefined;
    // A clock that was set meanwhile makes it late at worst.
    const isPlausible = Math.abs(leftMs) <= silenceMs;
    if (isPlausible && leftMs <= 0) this.#ring();
    else this.#timer = this.#clock.after(isPlausible ? leftMs : silenceMs, () => this.#due());
  }
}
