import type { Clock } from "../../ports/clock.js";
import type { ReadingPace } from "./reading-pace.js";

export interface SharedTextOptions {
  /** Called once, if ever; with the signal's abort it must end soon. */
  readonly write: (signal: AbortSignal) => AsyncIterable<string>;
  /** Called once: with the whole text, or with undefined where it failed or was given up. */
  readonly onEnd: (text: string | undefined) => void;
  readonly clock: Clock;
  readonly pace: ReadingPace;
}

/** A reader that waits: for anything new, or for its next turn. */
interface Waiting {
  readonly resume: () => void;
  readonly isForTurn: boolean;
}

/** A constant, as an abort without a reason makes one with a stack, which takes long. */
const UNREAD = new Error("nobody reads the text any longer");

/**
 * A text that comes in pieces and is read by several, each at its own pace: kept once, however many read
 * it. It begins with the first that reads, and is given up when the last one has left before its end.
 */
export class SharedText {
  readonly #options: SharedTextOptions;
  readonly #ending = new AbortController();
  readonly #pieces: string[] = [];
  #isBegun = false;
  #run: Promise<void> = Promise.resolve();
  #isEnded = false;
  #error: Error | undefined;
  #readers = 0;
  readonly #waiting = new Set<Waiting>();

  constructor(options: SharedTextOptions) {
    this.#options = options;
  }

  /** Whether nobody will read it any more. */
  get isGivenUp(): boolean {
    return this.#ending.signal.aborted;
  }

  /**
   * Another reader, counted until the signal's abort or the end of its reading. What comes is handed on at
   * once, but no oftener than the pace says.
   */
  join(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const { pace } = this.#options;
    this.#readers++;
    pace.joined();
    const leave = (): void => {
      signal.removeEventListener("abort", leave);
      pace.left();
      if (--this.#readers === 0 && !this.#isEnded) void this.giveUp(undefined);
      this.#wake(true);
    };
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    return this.#read(signal, () => {
      if (!signal.aborted) leave();
    });
  }

  /** Ends it for all readers, with the reason as the error that they get; resolves when it has. */
  async giveUp(reason: Error | undefined): Promise<void> {
    this.#ending.abort(reason ?? UNREAD);
    if (!this.#isBegun) this.#end(reason, undefined);
    await this.#run;
  }

  async *#read(signal: AbortSignal, leave: () => void): AsyncGenerator<string, void, undefined> {
    const { clock, pace } = this.#options;
    let read = 0;
    let turnAt = Number.NEGATIVE_INFINITY;
    try {
      while (!signal.aborted) {
        if (!this.#isEnded) this.#begin();
        const waitMs = this.#isEnded ? 0 : Math.min(turnAt - clock.now(), pace.intervalMs);
        if (read === this.#pieces.length) {
          if (this.#error !== undefined) throw this.#error;
          if (this.#isEnded) return;
          await new Promise<void>((resume) => this.#waiting.add({ resume, isForTurn: false }));
        } else if (waitMs > 0) {
          await this.#turnIn(waitMs);
        } else {
          const piece =
            read + 1 === this.#pieces.length ? this.#pieces[read]! : this.#pieces.slice(read).join("");
          read = this.#pieces.length;
          turnAt = clock.now() + pace.intervalMs;
          yield piece;
        }
      }
    } finally {
      leave();
    }
  }

  /** Resolves after so long, or with the end. */
  #turnIn(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(waitMs, () => {
        this.#waiting.delete(waiting);
        resolve();
      });
      const resume = (): void => {
        timer.cancel();
        resolve();
      };
      const waiting = { resume, isForTurn: true };
      this.#waiting.add(waiting);
    });
  }

  #begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#run = this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    try {
      for await (const piece of this.#options.write(this.#ending.signal)) {
        this.#pieces.push(piece);
        this.#wake(false);
      }
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error("not an error", { cause: error }), undefined);
      return;
    }
    this.#end(undefined, this.#pieces.join(""));
  }

  #end(error: Error | undefined, text: string | undefined): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.#options.onEnd(text);
    this.#wake(true);
  }

  #wake(withThoseForTurn: boolean): void {
    for (const waiting of this.#waiting) {
      if (waiting.isForTurn && !withThoseForTurn) continue;
      this.#waiting.delete(waiting);
      waiting.resume();
    }
  }
}
