/**
 * Lets any number of shared holders in at once, or one exclusive holder alone, in the order they
 * asked: whoever waits for exclusive use is not overtaken by later shared ones.
 */
export class ReadWriteLock {
  #sharedHolders = 0;
  #exclusivelyHeld = false;
  readonly #waiting: Waiter[] = [];

  /** Whether nobody holds it or waits for it. */
  get isIdle(): boolean {
    return this.#sharedHolders === 0 && !this.#exclusivelyHeld && this.#waiting.length === 0;
  }

  async shared<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter("shared");
    try {
      return await work();
    } finally {
      this.#sharedHolders--;
      this.#letIn();
    }
  }

  async exclusive<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter("exclusive");
    try {
      return await work();
    } finally {
      this.#exclusivelyHeld = false;
      this.#letIn();
    }
  }

  #enter(kind: Waiter["kind"]): Promise<void> {
    return new Promise((enter) => {
      this.#waiting.push({ kind, enter });
      this.#letIn();
    });
  }

  /** Counts a waiter as a holder before it runs, so that nobody slips in between. */
  #letIn(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#exclusivelyHeld || (next.kind === "exclusive" && this.#sharedHolders > 0)) return;
      if (next.kind === "exclusive") this.#exclusivelyHeld = true;
      else this.#sharedHolders++;
      this.#waiting.shift();
      next.enter();
    }
  }
}

interface Waiter {
  readonly kind: "shared" | "exclusive";
  readonly enter: () => void;
}
