import { expect, test } from "vitest";
import { LogRing } from "./log-ring.js";

test("the last lines are kept, numbered since the start, without their ends and not longer than they may be", () => {
  const ring = new LogRing(3);
  expect(ring.linesAfter(0)).toEqual([]);
  expect(ring.last).toBe(0);
  for (const line of ["a\n", "b\n", "c\n", "d\n"]) ring.add(line);
  expect(ring.linesAfter(0)).toEqual([
    { number: 2, text: "b" },
    { number: 3, text: "c" },
    { number: 4, text: "d" },
  ]);
  expect(ring.linesAfter(3)).toEqual([{ number: 4, text: "d" }]);
  expect(ring.linesAfter(4)).toEqual([]);
  expect(ring.linesAfter(99)).toEqual([]);
  ring.add("x".repeat(100_000));
  expect(ring.linesAfter(4)[0]!.text.length).toBe(8_000);
  expect(ring.last).toBe(5);
});
