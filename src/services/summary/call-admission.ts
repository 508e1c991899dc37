/** Calls that are admitted in one turn of the event loop. */
const PER_TURN = 2;

/**
 * Admission control for calls of language models: lets a few at a time begin, with a look at everything else that
 * waits in between: requests that came meanwhile are searched and answered before work that nobody waits for as
 * impatiently.
 */
export class CallAdmission {
  #waiting: (() => void)[] = [];
  #isAdmitting = false;

  /** Resolves in a later turn of the event loop, in the order of the calls. */
  admitted(): Promise<void> {
    if (!this.#isAdmitting) {
      this.#isAdmitting = true;
      setImmediate(() => this.#admitSome());
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #admitSome(): void {
    for (const begin of this.#waiting.splice(0, PER_TURN)) begin();
    this.#isAdmitting = this.#waiting.length > 0;
    if (this.#isAdmitting) setImmediate(() => this.#admitSome());
  }
}
