/** Beginnings that one turn of the event loop has room for. */
const PER_TURN = 2;

/**
 * Lets in a few at a time, with a look at everything else that waits in between: requests that came meanwhile are
 * searched and answered before work that nobody waits for as impatiently.
 */
export class Turnstile {
  #waiting: (() => void)[] = [];
  #isTurning = false;

  /** Resolves in a later turn of the event loop, in the order of the calls. */
  pass(): Promise<void> {
    if (!this.#isTurning) {
      this.#isTurning = true;
      setImmediate(() => this.#turn());
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #turn(): void {
    for (const enter of this.#waiting.splice(0, PER_TURN)) enter();
    this.#isTurning = this.#waiting.length > 0;
    if (this.#isTurning) setImmediate(() => this.#turn());
  }
}
