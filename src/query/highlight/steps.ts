/** Ends work that takes too long, by throwing. */
export interface Interrupt {
  check(): void;
}

/** Steps between two questions whether work may go on: some tens of microseconds. */
const STEPS_PER_CHECK = 1_000;

/** Counts the steps of work, and asks now and then whether it may go on. */
export class Steps {
  readonly #interrupt: Interrupt;
  #left = STEPS_PER_CHECK;

  constructor(interrupt: Interrupt) {
    this.#interrupt = interrupt;
  }

  /** @throws what the interrupt throws */
  take(count: number = 1): void {
    this.#left -= count;
    if (this.#left > 0) return;
    this.#left = STEPS_PER_CHECK;
    this.#interrupt.check();
  }
}
