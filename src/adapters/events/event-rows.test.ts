// Properties: many events make the rows that each makes by itself, in their order, and whoever waits meanwhile gets
// his turn.
import { expect, test } from "vitest";
import type { StoredEvent } from "../../ports/event-store.js";
import { toRow } from "./event-row.js";
import { rowsOf } from "./event-rows.js";

const eventsOf = (count: number): StoredEvent[] =>
  Array.from({ length: count }, (_, i) => ({
    eventId: String(i).padStart(32, "0"),
    receivedAt: 1_700_000_000_000 + i,
    eventName: "api_queried",
    indexNames: ["books"],
    searchTerm: `ünïcode ${i}`,
    userId: `user ${i}`,
  }));

test.each([0, 1, 100, 101, 1_000])("%i events", async (count) => {
  const events = eventsOf(count);
  expect((await rowsOf(events)).toString()).toBe(events.map(toRow).join(""));
});

test("others get their turn", async () => {
  let turns = 0;
  let isDone = false;
  const watch = (): void => {
    turns++;
    if (!isDone) setImmediate(watch);
  };
  setImmediate(watch);
  await rowsOf(eventsOf(1_000));
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(8);
});
