import { expect, test } from "vitest";
import { WorkClock } from "./work-clock.js";

test("work is timed without its pauses", () => {
  let nowMs = 100;
  const clock = new WorkClock(() => nowMs);
  const seen: number[] = [];
  const timed = clock.time(
    (function* () {
      for (let step = 0; step < 2; step++) {
        nowMs += 3;
        seen.push(clock.elapsedMs);
        yield;
      }
      nowMs += 1;
      return "done";
    })(),
  );
  expect(clock.elapsedMs).toBe(0);
  timed.next();
  nowMs += 1000;
  expect(clock.elapsedMs).toBe(3);
  timed.next();
  nowMs += 1000;
  expect(timed.next()).toEqual({ done: true, value: "done" });
  expect(seen).toEqual([3, 6]);
  expect(clock.elapsedMs).toBe(7);
});
