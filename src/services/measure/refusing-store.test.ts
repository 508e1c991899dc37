// Where the store refuses events: they wait, within bounds, and go in later, each once; nobody else notices.
import { beforeEach, expect, test } from "vitest";
import type { ManualClock } from "../../../tests/kit/manual-clock.js";
import { answeredSearch, bytesOf, recorderOverMemory } from "../../../tests/kit/measure-recording.js";
import type { MemoryEventStore } from "../../../tests/kit/memory-event-store.js";
import type { RecordingLogger } from "../../../tests/kit/recording-logger.js";
import { FindlingError } from "../../errors/index.js";
import type { AnsweredSearch, MeasureRecorder } from "./measure-recorder.js";

let store: MemoryEventStore;
let clock: ManualClock;
let logger: RecordingLogger;
let recorder: MeasureRecorder;
beforeEach(() => {
  ({ store, clock, logger, recorder } = recorderOverMemory());
});

test("events wait and go in once it takes them again, in order", async () => {
  store.refusal = new FindlingError("rate_limited", "too many events wait");
  recorder.recordSearch(answeredSearch("a"));
  await clock.advance(200);
  recorder.recordSearch(answeredSearch("b"));
  store.refusal = null;
  await clock.advance(1_000);
  expect(store.events.map(({ searchTerm }) => searchTerm)).toEqual(["a", "b"]);
  expect(logger.lines).toMatchObject([{ level: "error", fields: { waiting: 1, dropped: 0 } }]);
  await clock.advance(10_000);
  expect(clock.waiting).toBe(0);
});

test("the operator is told once in a while, and of what was dropped", async () => {
  store.refusal = new Error("disk full");
  for (let i = 0; i < 10_005; i++) recorder.recordSearch(answeredSearch("x"));
  await clock.advance(9_000);
  expect(logger.lines).toMatchObject([{ fields: { waiting: 10_000, dropped: 5 } }]);
  await clock.advance(3_000);
  expect(logger.lines).toHaveLength(2);
});

test("what waits is bounded by its bytes, too, and there is room again once it is stored", async () => {
  store.refusal = new Error("disk full");
  const wide = (i: number): AnsweredSearch =>
    answeredSearch(`${i} `.padEnd(1_000, "\u0001"), {
      userId: "ÿ".repeat(1_000),
      userAgent: "ÿ".repeat(1_000),
    });
  for (let i = 0; i < 5_000; i++) recorder.recordSearch(wide(i));
  await clock.advance(200);
  const { waiting, dropped } = logger.lines[0]!.fields as { waiting: number; dropped: number };
  expect(waiting + dropped).toBe(5_000);
  store.refusal = null;
  await recorder.flush();
  const expected = Array.from({ length: waiting }, (_, i) => i);
  expect(store.events.map(({ searchTerm }) => Number.parseInt(searchTerm!, 10))).toEqual(expected);
  expect(bytesOf(store.events)).toBeGreaterThanOrEqual(16 * 1024 * 1024);
  expect(bytesOf(store.events.slice(0, -1))).toBeLessThan(16 * 1024 * 1024);
  for (let i = 0; i < waiting; i++) recorder.recordSearch(wide(i));
  await recorder.flush();
  expect(store.events).toHaveLength(2 * waiting);
});

test("a search doesn't fail for want of memory: its event is dropped, and the operator is told", async () => {
  const gather = store.gather.bind(store);
  let isShort = true;
  store.gather = () => {
    const events = gather();
    const add = events.add.bind(events);
    events.add = (own, shared) => {
      if (isShort) throw new RangeError("array buffer allocation failed");
      add(own, shared);
    };
    return events;
  };
  recorder.recordSearch(answeredSearch("a"));
  expect(logger.lines).toMatchObject([{ level: "error", fields: { waiting: 0, dropped: 1 } }]);
  isShort = false;
  recorder.recordSearch(answeredSearch("b"));
  await recorder.flush();
  expect(store.events.map(({ searchTerm }) => searchTerm)).toEqual(["b"]);
});

test("what can't be stored at the stop is counted in the log", async () => {
  store.refusal = new Error("gone");
  recorder.recordSearch(answeredSearch("x"));
  await recorder.stop();
  expect(logger.lines.at(-1)).toMatchObject({ fields: { events: 1 } });
  expect(clock.waiting).toBe(0);
});
