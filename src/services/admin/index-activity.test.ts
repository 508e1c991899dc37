import { expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { RecordingLogger } from "../../../tests/kit/recording-logger.js";
import { IndexActivity } from "./index-activity.js";

const search = (durationMs: number, name = "books") =>
  ({ kind: "index", name, durationMs, count: 3, body: { query: "x" } }) as const;

test("pending documents are counted until a commit or rollback, which alone tells a time", () => {
  const clock = new ManualClock();
  const activity = new IndexActivity(clock, 100, new RecordingLogger());
  activity.added("s1", 3);
  activity.added("s1", 2);
  activity.removed("s1", 1);
  expect(activity.countsOf("s1")).toEqual({ pendingAdded: 5, pendingRemoved: 1, lastCommitMs: null });
  activity.committed("s1");
  const lastCommitMs = clock.now();
  expect(activity.countsOf("s1")).toEqual({ pendingAdded: 0, pendingRemoved: 0, lastCommitMs });
  activity.added("s1", 1);
  activity.rolledBack("s1");
  expect(activity.countsOf("s1")).toEqual({ pendingAdded: 0, pendingRemoved: 0, lastCommitMs });
  activity.keepOnly(new Set(), new Set());
  expect(activity.countsOf("s1").lastCommitMs).toBeNull();
});

test("searches count for a minute", async () => {
  const clock = new ManualClock();
  const activity = new IndexActivity(clock, 100, new RecordingLogger());
  for (let i = 0; i < 4; i++) activity.searched(search(1));
  activity.searched(search(1, "films"));
  activity.searched({ ...search(1), kind: "federation" });
  expect(activity.searchesPerMinute("books")).toBe(4);
  expect(activity.allSearchesPerMinute).toBe(6);
  await clock.advance(30_000);
  activity.searched(search(1));
  expect(activity.searchesPerMinute("books")).toBe(5);
  await clock.advance(40_000);
  expect(activity.searchesPerMinute("books")).toBe(1);
  await clock.advance(600_000);
  expect(activity.searchesPerMinute("books")).toBe(0);
});

test("the last hundred slow searches are kept, the newest first, with no more of their bodies than is told", () => {
  const activity = new IndexActivity(new ManualClock(), 100, new RecordingLogger());
  activity.searched(search(99.9));
  for (let i = 0; i < 120; i++) activity.searched(search(100 + i));
  expect(activity.slowSearches).toHaveLength(100);
  expect(activity.slowSearches[0]).toMatchObject({ index_name: "books", duration_ms: 219, count: 3 });
  activity.searched({ ...search(500), body: { query: "x".repeat(9_000) } });
  expect(activity.slowSearches[0]!.body.length).toBe(2_000);
  const off = new IndexActivity(new ManualClock(), 0, new RecordingLogger());
  off.searched(search(10_000));
  expect(off.slowSearches).toEqual([]);
});

test("slow searches are logged, thirty a minute at most, and never what was asked for", async () => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const activity = new IndexActivity(clock, 100, logger);
  const body = { query: { fuzzy: { ctx: "unmentionable" } } };
  activity.searched({ ...search(99), body });
  activity.searched({ ...search(123.456), body });
  activity.searched({ ...search(100), kind: "federation", name: "all", body });
  expect(logger.lines).toEqual([
    { level: "info", message: "slow search", fields: { index: "books", duration_ms: 123.46, count: 3 } },
    { level: "info", message: "slow search", fields: { federation: "all", duration_ms: 100, count: 3 } },
  ]);
  for (let i = 0; i < 100; i++) activity.searched(search(200));
  expect(logger.lines).toHaveLength(30);
  await clock.advance(60_000);
  activity.searched(search(200));
  activity.searched(search(200));
  expect(logger.lines.slice(30).map(({ fields }) => fields?.["slow_searches_left_out"])).toEqual([
    72,
    undefined,
  ]);
  expect(JSON.stringify(logger.lines)).not.toContain("unmentionable");
});
