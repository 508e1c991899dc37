import { type Timers, Watch } from "./watch.js";

/** One event; its data is a JSON object. */
export interface ServerEvent {
  readonly name: string;
  readonly data: object;
}

/** An answer that is not one JSON document but a stream of server-sent events (contract 3.6). */
export interface EventStreamSource {
  /** The events; called once. With the signal's abort, which is the reader's leaving, they end. */
  events(signal: AbortSignal): AsyncIterable<ServerEvent>;
  /** What is told last where the server has to end the stream: it stops, or something went wrong in it. */
  lastWords(reason: "stopping" | "failed"): ServerEvent;
}

/** What a route's handler returns to have its answer streamed. */
export class EventStream {
  readonly source: EventStreamSource;

  constructor(source: EventStreamSource) {
    this.source = source;
  }
}

/** The event's frame: no `id`, no `retry`, and no raw line break in the data, as JSON escapes them. */
export function frameOf({ name, data }: ServerEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A comment, for connections on the way that are closed where nothing is said (contract 8). */
const KEEP_ALIVE_FRAME = ": keep-alive\n\n";
const KEEP_ALIVE_MS = 15_000;
/** How long a reader may take nothing of what is ready for it. */
const STALLED_MS = 60_000;

/** A constant, as an abort without a reason makes one with a stack, which takes long. */
const LEFT = new Error("the reader has left");

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
  readonly #watch: Watch;
  readonly #events: AsyncIterator<ServerEvent, unknown>;
  #isStopping = false;
  #stop: () => void = () => undefined;

  constructor(options: EventFramesOptions) {
    this.#options = options;
    this.#watch = new Watch(options.timers);
    // Now, so that the source hears of a reader who leaves before the first frame.
    this.#events = options.source.events(this.#left.signal)[Symbol.asyncIterator]();
  }

  /** The reader is gone: the source is told at once. */
  leave(): void {
    this.#left.abort(LEFT);
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
        for (; turn === "silence"; turn = await this.#turn(next)) yield this.#handed(KEEP_ALIVE_FRAME);
        if (turn === "stop") {
          next.catch(() => undefined);
          yield this.#handed(frameOf(source.lastWords("stopping")));
          return;
        }
        if (turn.done === true) return;
        yield this.#handed(frameOf(turn.value));
      }
    } catch (error) {
      onFailure(error);
      yield this.#handed(frameOf(source.lastWords("failed")));
    } finally {
      this.#watch.end();
      this.#left.abort(LEFT);
      await events.return?.();
    }
  }

  /** What comes first: the next event, too long a silence, or the server's stop. */
  #turn(next: Promise<IteratorResult<ServerEvent, unknown>>): Promise<Turn> {
    if (this.#isStopping) return Promise.resolve("stop");
    return new Promise((resolve, reject) => {
      this.#watch.expect(KEEP_ALIVE_MS, () => resolve("silence"));
      this.#stop = () => resolve("stop");
      next.then(resolve, reject);
    });
  }

  /** The frame, on its way to a reader who is expected to take it. */
  #handed(frame: string): string {
    this.#watch.expect(STALLED_MS, this.#options.onStalled);
    return frame;
  }
}
