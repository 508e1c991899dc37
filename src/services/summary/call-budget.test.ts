/** What one of several servers lets through of a limit for all. */
import { expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { CallBudget } from "./call-budget.js";

function takenBy(budget: CallBudget): number {
  for (let taken = 0; ; taken++) {
    try {
      budget.take({ key: "k", indexName: "books" });
    } catch {
      return taken;
    }
  }
}

test.each([
  [1, 10],
  [3, 4],
  [20, 1],
])("of ten calls a minute one of %d servers takes %d", (count, expected) => {
  const limits = { callsPerKey: 10, callsPerIndex: 0, concurrentCalls: 1_000 };
  expect(takenBy(new CallBudget(new ManualClock(), limits, { count }))).toBe(expected);
});

test("a limit is another once servers come or go", () => {
  const servers = { count: 2 };
  const limits = { callsPerKey: 0, callsPerIndex: 0, concurrentCalls: 10 };
  const budget = new CallBudget(new ManualClock(), limits, servers);
  expect(takenBy(budget)).toBe(5);
  servers.count = 1;
  expect(takenBy(budget)).toBe(5);
});
