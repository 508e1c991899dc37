/** Automatic commits for servers that are gone, on a clock and marks that the test moves. */
import { beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { RecordingLogger } from "../../../tests/kit/recording-logger.js";
import { sampleIndex } from "../../../tests/query-kit/sample-index.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import { LeftWrites } from "./left-writes.js";

const SECOND = 1_000;

let clock: ManualClock;
let mark: string | null | Error;
let isScheduled: boolean;
let committed: string[];
let logger: RecordingLogger;
let leftWrites: LeftWrites;

beforeEach(() => {
  clock = new ManualClock();
  logger = new RecordingLogger();
  [mark, isScheduled, committed] = ["1", false, []];
  const index: CatalogIndex = {
    schema: { ...sampleIndex({ name: "books" }).schema, auto_commit_delay: 20 },
    storageId: "s",
    custom_stopwords: [],
    synonyms: {},
  };
  leftWrites = new LeftWrites({
    catalog: { indexes: () => [index] } as unknown as Catalog,
    backend: {
      async pendingMark() {
        if (mark instanceof Error) throw mark;
        return mark;
      },
    },
    clock,
    logger,
    autoCommit: { isScheduled: () => isScheduled, commitLeft: ({ schema }) => committed.push(schema.name) },
  });
  leftWrites.start();
});

test("what stays pending longer than the delay is committed, once", async () => {
  await clock.advance(25 * SECOND);
  expect(committed).toEqual([]);
  await clock.advance(10 * SECOND);
  expect(committed).toEqual(["books"]);
  mark = null;
  await clock.advance(100 * SECOND);
  expect(committed).toEqual(["books"]);
});

test("as long as somebody writes, or commits, nothing is done", async () => {
  for (let i = 0; i < 20; i++) {
    mark = String(i);
    await clock.advance(10 * SECOND);
  }
  expect(committed).toEqual([]);
});

test("what this server is going to commit itself is left to that", async () => {
  isScheduled = true;
  await clock.advance(100 * SECOND);
  expect(committed).toEqual([]);
});

test("a cluster that can't be asked is told of once, and asked again", async () => {
  mark = new Error("gone");
  await clock.advance(30 * SECOND);
  expect(logger.lines).toHaveLength(1);
  mark = "1";
  await clock.advance(40 * SECOND);
  expect(committed).toEqual(["books"]);
});

test("nothing is done after a stop", async () => {
  await leftWrites.stop();
  await clock.advance(100 * SECOND);
  expect([committed, clock.waiting]).toEqual([[], 0]);
});
