import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { SilenceAlarm } from "./silence-alarm.js";

const SILENCE_MS = 1_000;

describe("SilenceAlarm", () => {
  let clock: ManualClock;
  let rung: number;
  let alarm: SilenceAlarm;
  beforeEach(() => {
    clock = new ManualClock();
    rung = 0;
    alarm = new SilenceAlarm(clock, SILENCE_MS, () => rung++);
  });

  test("rings once, to the millisecond, after the last that was heard", async () => {
    for (const pauseMs of [0, 300, 999, 1]) {
      await clock.advance(pauseMs);
      alarm.postpone();
    }
    await clock.advance(SILENCE_MS - 1);
    expect(rung).toBe(0);
    await clock.advance(1);
    expect(rung).toBe(1);
    expect(clock.waiting).toBe(0);
  });

  test("rings though nothing was ever heard; not once it is cancelled", async () => {
    await clock.advance(SILENCE_MS);
    expect(rung).toBe(1);
    const other = new SilenceAlarm(clock, SILENCE_MS, () => rung++);
    other.postpone();
    await clock.advance(SILENCE_MS - 1);
    other.cancel();
    await clock.advance(SILENCE_MS);
    expect([rung, clock.waiting]).toEqual([1, 0]);
  });

  test("has one timer, however much is heard", () => {
    for (let i = 0; i < 100; i++) alarm.postpone();
    expect(clock.waiting).toBe(1);
  });

  test.each([-3_600_000, 3_600_000])(
    "isn't rung by a clock that is set by %i ms, and rings later",
    async (byMs) => {
      let setBy = 0;
      const adjusted = {
        now: () => clock.now() + setBy,
        after: (delayMs: number, callback: () => void) => clock.after(delayMs, callback),
      };
      const heard = new SilenceAlarm(adjusted, SILENCE_MS, () => rung++);
      alarm.cancel();
      await clock.advance(500);
      heard.postpone();
      setBy = byMs;
      await clock.advance(500);
      expect(rung).toBe(0);
      await clock.advance(SILENCE_MS);
      expect(rung).toBe(1);
    },
  );
});
