import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import type { ServerEvent } from "./event-frames.js";
import { EventFrames } from "./event-frames.js";

/** Frames over a source, and what is seen of both. */
class Watched {
  readonly clock: ManualClock = new ManualClock();
  readonly failures: unknown[] = [];
  stalls = 0;
  /** That the source was given. */
  signal: AbortSignal | undefined;
  readonly frames: EventFrames;

  constructor(events: (signal: AbortSignal) => AsyncIterable<ServerEvent>) {
    this.frames = new EventFrames({
      timers: this.clock,
      onFailure: (error) => this.failures.push(error),
      onStalled: () => this.stalls++,
      source: {
        events: (signal) => {
          this.signal = signal;
          return events(signal);
        },
        lastWords: (reason) => ({ name: "error", data: { reason } }),
      },
    });
  }
}

const watch = (events: (signal: AbortSignal) => AsyncIterable<ServerEvent>): Watched => new Watched(events);

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Lets what was begun come to where it waits. */
const settled = (): Promise<void> => new Promise((resume) => setImmediate(resume));

async function* silent(signal: AbortSignal): AsyncGenerator<ServerEvent> {
  yield { name: "first", data: { text: "a\nb\r\u2028" } };
  await untilAborted(signal);
}

describe("EventFrames", () => {
  test("frames are one line of data each, whatever is in it", async () => {
    const { frames } = watch(silent);
    const first = await frames.frames().next();
    expect(first.value).toBe('event: first\ndata: {"text":"a\\nb\\r\u2028"}\n\n');
  });

  test("every 15 seconds of silence a comment, as long as it lasts", async () => {
    const { frames, clock } = watch(silent);
    const out = frames.frames();
    await out.next();
    for (let i = 0; i < 3; i++) {
      const next = out.next();
      let isThere = false;
      void next.then(() => (isThere = true));
      await settled();
      await clock.advance(14_999);
      expect(isThere).toBe(false);
      await clock.advance(1);
      expect((await next).value).toBe(": keep-alive\n\n");
    }
    await out.return();
    expect(clock.waiting).toBe(0);
  });

  test("a reader that takes nothing for a minute is given up; one that does is not", async () => {
    const watched = watch(async function* () {
      yield { name: "a", data: {} };
      yield { name: "b", data: {} };
    });
    const out = watched.frames.frames();
    await out.next();
    await watched.clock.advance(59_999);
    await out.next();
    await watched.clock.advance(59_999);
    expect(watched.stalls).toBe(0);
    await watched.clock.advance(1);
    expect(watched.stalls).toBe(1);
  });

  test("leaving reaches the source at once, while it says nothing, and before it has been asked", async () => {
    const watched = watch(silent);
    const out = watched.frames.frames();
    await out.next();
    const next = out.next();
    await settled();
    watched.frames.leave();
    expect(watched.signal!.aborted).toBe(true);
    expect(await next).toEqual({ done: true, value: undefined });

    const unread = watch(silent);
    expect(unread.signal!.aborted).toBe(false);
    unread.frames.leave();
    expect(unread.signal!.aborted).toBe(true);
  });

  test("a stop ends it with last words: in a silence, between events, and before the first", async () => {
    const lastWords = 'event: error\ndata: {"reason":"stopping"}\n\n';
    const inSilence = watch(silent);
    const out = inSilence.frames.frames();
    await out.next();
    const next = out.next();
    await settled();
    inSilence.frames.stop();
    expect((await next).value).toBe(lastWords);
    expect((await out.next()).done).toBe(true);
    expect(inSilence.signal!.aborted).toBe(true);

    const before = watch(silent);
    before.frames.stop();
    expect((await before.frames.frames().next()).value).toBe(lastWords);
    expect(before.clock.waiting).toBe(1);
  });

  test("a source that fails ends it with last words, and the failure is told to the operator", async () => {
    const problem = new Error("told to the operator only");
    const { frames, failures, clock } = watch(async function* () {
      yield { name: "a", data: {} };
      throw problem;
    });
    const all: string[] = [];
    for await (const frame of frames.frames()) all.push(frame);
    expect(all.at(-1)).toBe('event: error\ndata: {"reason":"failed"}\n\n');
    expect(failures).toEqual([problem]);
    expect(clock.waiting).toBe(0);
  });
});
