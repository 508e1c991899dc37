export interface SharedTextOptions {
  /** Called once, if ever; with the signal's abort it must end soon. */
  readonly write: (signal: AbortSignal) => AsyncIterable<string>;
  /** Called once: with the whole text, or with undefined where it failed or was given up. */
  readonly onEnd: (text: string | undefined) => void;
}

/**
 * A text that comes in pieces and is read by several, each at its own pace: kept once, however many read
 * it. It begins with the first that reads, and is given up when the last one has left before its end.
 */
export class SharedText {
  readonly #write: SharedTextOptions["write"];
  readonly #onEnd: SharedTextOptions["onEnd"];
  readonly #ending = new AbortController();
  #text = "";
  #isBegun = false;
  #run: Promise<void> = Promise.resolve();
  #isEnded = false;
  #error: Error | undefined;
  #readers = 0;
  #waiting: (() => void)[] = [];

  constructor({ write, onEnd }: SharedTextOptions) {
    this.#write = write;
    this.#onEnd = onEnd;
  }

  /** Whether nobody will read it any more. */
  get isGivenUp(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Another reader, counted until the signal's abort or the end of its reading. */
  join(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    this.#readers++;
    const leave = (): void => {
      signal.removeEventListener("abort", leave);
      if (--this.#readers === 0 && !this.#isEnded) void this.giveUp(undefined);
      this.#wake();
    };
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    return this.#read(signal, () => {
      if (!signal.aborted) leave();
    });
  }

  /** Ends it for all readers, with the reason as the error that they get; resolves when it has. */
  async giveUp(reason: Error | undefined): Promise<void> {
    this.#ending.abort(reason);
    if (!this.#isBegun) this.#end(reason, undefined);
    await this.#run;
  }

  async *#read(signal: AbortSignal, leave: () => void): AsyncGenerator<string, void, undefined> {
    let read = 0;
    try {
      while (!signal.aborted) {
        if (!this.#isEnded) this.#begin();
        if (read < this.#text.length) {
          const piece = this.#text.slice(read);
          read = this.#text.length;
          yield piece;
        } else if (this.#isEnded) {
          if (this.#error !== undefined) throw this.#error;
          return;
        } else {
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
        }
      }
    } finally {
      leave();
    }
  }

  #begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#run = this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // What the readers have been told already leaves first, whatever beginning takes.
    await new Promise((resume) => setImmediate(resume));
    try {
      for await (const piece of this.#write(this.#ending.signal)) {
        this.#text += piece;
        this.#wake();
      }
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error("not an error", { cause: error }), undefined);
      return;
    }
    this.#end(undefined, this.#text);
  }

  #end(error: Error | undefined, text: string | undefined): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.#onEnd(text);
    this.#wake();
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
