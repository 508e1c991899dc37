// One text for several readers: each gets all of it, at its own pace, no oftener than the pace says.
import fc from "fast-check";
import { expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { ReadingPace } from "./reading-pace.js";
import { SharedText } from "./shared-text.js";

interface Told {
  readonly piece: string;
  readonly at: number;
}

const NEVER = new AbortController().signal;

/** Pieces after pauses. */
function speaking(
  clock: ManualClock,
  script: readonly (readonly [afterMs: number, piece: string])[],
): () => AsyncIterable<string> {
  return async function* (): AsyncGenerator<string> {
    for (const [afterMs, piece] of script) {
      if (afterMs > 0) {
        await new Promise<void>((resume) => {
          clock.after(afterMs, resume);
        });
      }
      yield piece;
    }
  };
}

async function heard(clock: ManualClock, reader: AsyncIterable<string>): Promise<readonly Told[]> {
  const told: Told[] = [];
  for await (const piece of reader) told.push({ piece, at: clock.now() });
  return told;
}

test("a piece alone is handed on at once; what comes closer together is one piece; the end waits for nothing", async () => {
  const clock = new ManualClock();
  const text = new SharedText({
    clock,
    pace: new ReadingPace(),
    onEnd: () => undefined,
    write: speaking(clock, [
      [7, "a"],
      [10, "b"],
      [10, "c"],
      [60, "d"],
      [200, "e"],
      [5, "f"],
    ]),
  });
  const told = heard(clock, text.join(NEVER));
  await clock.advance(1_000);
  expect(await told).toEqual([
    { piece: "a", at: 7 },
    { piece: "bc", at: 57 },
    { piece: "d", at: 107 },
    { piece: "e", at: 287 },
    { piece: "f", at: 292 },
  ]);
  expect(clock.waiting).toBe(0);
});

test("the more read, the less often each is handed something; all of it reaches everybody", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 120 }), fc.string({ minLength: 1, maxLength: 4 })), {
        minLength: 1,
        maxLength: 40,
      }),
      fc.integer({ min: 1, max: 300 }),
      async (script, readers) => {
        const clock = new ManualClock();
        const pace = new ReadingPace();
        const others = Array.from({ length: readers - 1 }, () => new AbortController());
        let whole: string | undefined;
        const of = (write: () => AsyncIterable<string>): SharedText =>
          new SharedText({ clock, pace, write, onEnd: (all) => (whole = all) });
        // Of another text: they count all the same.
        const other = of(speaking(clock, []));
        for (const { signal } of others) other.join(signal);
        const intervalMs = Math.min(250, Math.max(50, readers));
        const text = of(speaking(clock, script));
        const told = heard(clock, text.join(NEVER));
        await clock.advance(0);
        await clock.advance(script.length * 120 + 1);
        const pieces = await told;
        const expected = script.map(([, piece]) => piece).join("");
        expect(pieces.map(({ piece }) => piece).join("")).toBe(expected);
        expect(whole).toBe(expected);
        expect(pieces[0]!.at).toBe(script[0]![0]);
        const gaps = pieces.slice(1).map(({ at }, i) => at - pieces[i]!.at);
        // The last may come sooner: the text is at its end then.
        for (const gap of gaps.slice(0, -1)) expect(gap).toBeGreaterThanOrEqual(intervalMs);
        for (const each of others) each.abort();
        expect(clock.waiting).toBe(0);
        expect(pace.intervalMs).toBe(50);
      },
    ),
    { numRuns: 60 },
  );
});

test("who comes later gets what was said in one piece, and who leaves while it waits for its turn waits no longer", async () => {
  const clock = new ManualClock();
  const leaving = new AbortController();
  const text = new SharedText({
    clock,
    pace: new ReadingPace(),
    onEnd: () => undefined,
    write: speaking(clock, [
      [1, "a"],
      [1, "b"],
      [500, "c"],
    ]),
  });
  const first = heard(clock, text.join(leaving.signal));
  const second = text.join(NEVER);
  await clock.advance(3);
  const late = heard(clock, second);
  await clock.advance(0);
  await clock.advance(1);
  leaving.abort();
  expect(await first).toEqual([{ piece: "a", at: 1 }]);
  await clock.advance(600);
  expect(await late).toEqual([
    { piece: "ab", at: 3 },
    { piece: "c", at: 502 },
  ]);
  expect(clock.waiting).toBe(0);
});
