import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { EventFrames, type EventStream } from "./event-frames.js";
import type { Timers } from "./watch.js";

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
  // After its last event a stream's connection is closed (contract 3.6).
  connection: "close",
} as const;

/** The streams that are being sent, so that a stop can end them with a word. */
export class EventStreams {
  readonly #timers: Timers;
  readonly #onFailure: (error: unknown) => void;
  readonly #running = new Set<EventFrames>();
  #isStopping = false;

  constructor(timers: Timers, onFailure: (error: unknown) => void) {
    this.#timers = timers;
    this.#onFailure = onFailure;
  }

  /** Head and first event leave as soon as there is a first event. */
  send(reply: FastifyReply, stream: EventStream): FastifyReply {
    const frames = new EventFrames({
      source: stream.source,
      timers: this.#timers,
      onFailure: this.#onFailure,
      onStalled: () => reply.raw.destroy(),
    });
    this.#running.add(frames);
    if (this.#isStopping) frames.stop();
    const ended = (): void => {
      frames.leave();
      this.#running.delete(frames);
    };
    if (reply.raw.destroyed) ended();
    else reply.raw.once("close", ended);
    // One frame at a time is ahead of the reader.
    return reply
      .headers(HEADERS)
      .send(Readable.from(frames.frames(), { objectMode: false, highWaterMark: 1 }));
  }

  /** Ends every stream with its last words, also those whose requests are still being worked on. */
  stop(): void {
    this.#isStopping = true;
    for (const frames of this.#running) frames.stop();
  }
}
