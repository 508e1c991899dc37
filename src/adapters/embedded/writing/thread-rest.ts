/** So long after the last call a thread rests: longer than most senders pause. */
export const REST_AFTER_MS = 30_000;

/** Tells a thread that it has come to rest: once after each time that it was at work. */
export class ThreadRest {
  readonly #onRest: () => void;
  #calls = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @param onRest called when nothing has been under way for a while */
  constructor(onRest: () => void) {
    this.#onRest = onRest;
  }

  /** To be called when a call comes. */
  begin(): void {
    this.#calls++;
  }

  /** To be called when it is done, whether it failed or not. */
  end(): void {
    this.#calls--;
    if (this.#timer === null) this.#timer = setTimeout(() => this.#look(), REST_AFTER_MS).unref();
    else this.#timer.refresh();
  }

  #look(): void {
    // Its end begins the wait anew.
    if (this.#calls === 0) this.#onRest();
  }
}
