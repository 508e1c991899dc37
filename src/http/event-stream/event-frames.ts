import { type EventStreamSource, frameOf, type ServerEvent } from "./event-stream.js";

/** Calls back once after the delay unless cancelled. */
export interface Timers {
  after(delayMs: number, callback: () => void): { cancel(): void };
}

/** A comment, for connections on the way that are closed where nothing is said (contract 8). */
const KEEP_ALIVE_FRAME = ": keep-alive\n\n";
const KEEP_ALIVE_MS = 15_000;
/** How long a reader may take nothing of what is ready for it. */
const STALLED_MS = 60_000;

export interface EventFramesOptions {
  readonly source: EventStreamSource;
  readonly timers: Timers;
  /** Told of an error that the source ended with; the reader sees last words only. */
  readonly onFailure: (error: unknown) => void;
  /** The reader has stopped reading for too long. */
  readonly onStalled: () => void;
}

type Turn = IteratorResult<ServerEvent, unknown> | "silence" | "stop";

/** The frames of one stream: asked for one by one, so that a slow reader slows its source, not our memory. */
export class EventFrames {
  readonly #options: EventFramesOptions;
  readonly #left = new AbortController();
  readonly #events: AsyncIterator<ServerEvent, unknown>;
  #isStopping = false;
  #stop: () => void = () => undefined;

  constructor(options: EventFramesOptions) {
    this.#options = options;
    // Now, so that the source hears of a reader who leaves before the first frame.
    this.#events = options.source.events(this.#left.signal)[Symbol.asyncIterator]();
  }

  /** The reader is gone: the source is told at once. */
  leave(): void {
    this.#left.abort();
  }

  /** The server must end the stream now; the reader hears so. */
  stop(): void {
    this.#isStopping = true;
    this.#stop();
  }

  async *frames(): AsyncGenerator<string, void, undefined> {
    const { source, onFailure } = this.#options;
    const events = this.#events;
    try {
      for (;;) {
        const next = events.next();
        let turn = await this.#turn(next);
        for (; turn === "silence"; turn = await this.#turn(next)) yield* this.#hand(KEEP_ALIVE_FRAME);
        if (turn === "stop") {
          next.catch(() => undefined);
          yield* this.#hand(frameOf(source.lastWords("stopping")));
          return;
        }
        if (turn.done === true) return;
        yield* this.#hand(frameOf(turn.value));
      }
    } catch (error) {
      onFailure(error);
      yield* this.#hand(frameOf(source.lastWords("failed")));
    } finally {
      this.#left.abort();
      await events.return?.();
    }
  }

  /** What comes first: the next event, too long a silence, or the server's stop. */
  #turn(next: Promise<IteratorResult<ServerEvent, unknown>>): Promise<Turn> {
    if (this.#isStopping) return Promise.resolve("stop");
    return new Promise((resolve, reject) => {
      const alarm = this.#options.timers.after(KEEP_ALIVE_MS, () => resolve("silence"));
      this.#stop = () => resolve("stop");
      next.then(resolve, reject).finally(() => alarm.cancel());
    });
  }

  *#hand(frame: string): Generator<string, void, undefined> {
    const { timers, onStalled } = this.#options;
    const alarm = timers.after(STALLED_MS, onStalled);
    try {
      yield frame;
    } finally {
      alarm.cancel();
    }
  }
}
