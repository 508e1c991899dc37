import { expect, test } from "vitest";
import { EventIds } from "./event-ids.js";

test("ids ascend in the order of making, also where the clock is set back, and are all different", () => {
  const ids = new EventIds();
  const times = [0, 5, 5, 5, 3, 5, 6, Date.UTC(2024, 0), Date.UTC(2024, 0)];
  const made = times.map((time) => ids.next(time));
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{32}$/);
});

test("two processes make different ones in the same moment", () => {
  expect(new EventIds().next(1)).not.toBe(new EventIds().next(1));
});
