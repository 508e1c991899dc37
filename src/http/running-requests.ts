/** Counts requests between their arrival and the end of their answer, so that a stop can wait for them. */
export class RunningRequests {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  arrived(): void {
    this.#count++;
  }

  ended(): void {
    this.#count--;
    if (this.#count > 0 || this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves with true once nothing runs, with false after the time if something still does. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.#count === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
    });
    const done = new Promise<true>((resolve) => this.#waiting.push(() => resolve(true)));
    const isIdle = await Promise.race([done, timeUp]);
    clearTimeout(timer);
    return isIdle;
  }
}
