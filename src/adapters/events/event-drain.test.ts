// Properties: whole files go in, oldest first, and soon, though less often where many come; a store that is away is asked again, ever later, and the
// batch is then marked as uncertain; a batch that is refused or damaged stays on disk and holds nothing up.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { RecordingLogger } from "../../../tests/kit/recording-logger.js";
import { FindlingError } from "../../errors/index.js";
import { type EventBatch, type EventDatabase, RefusedBatchError } from "./event-database.js";
import { EventDrain } from "./event-drain.js";
import { EventQueue } from "./queue/event-queue.js";
import { DUCKDB_DIALECT } from "./sql/dialect.js";

/** Takes batches into a list, or fails as it is told. */
class ListDatabase implements EventDatabase {
  readonly kind = "duckdb";
  readonly dialect: typeof DUCKDB_DIALECT = DUCKDB_DIALECT;
  readonly taken: { readonly texts: readonly string[]; readonly isUncertain: boolean }[] = [];
  readonly remembered: (readonly string[])[] = [];
  failure: Error | null = null;
  attempts = 0;
  onInsert: () => void = () => {};

  async insert(batch: EventBatch): Promise<void> {
    this.attempts++;
    if (this.failure !== null) throw this.failure;
    this.onInsert();
    const texts = Buffer.concat(batch.rows).toString().split("\n").slice(0, -1);
    this.taken.push({ texts, isUncertain: batch.isUncertain });
  }

  async forgetBatchesExcept(ids: readonly string[]): Promise<void> {
    this.remembered.push(ids);
  }

  select(): Promise<never> {
    throw new Error("a drain asks nothing");
  }
  stream(): never {
    throw new Error("a drain asks nothing");
  }
  parquet(): never {
    throw new Error("a drain asks nothing");
  }
  deleteWhere(): Promise<never> {
    throw new Error("a drain deletes nothing");
  }
  async close(): Promise<void> {}
}

let folder: string;
let queue: EventQueue;
let database: ListDatabase;
let logger: RecordingLogger;
let clock: ManualClock;
let drain: EventDrain;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "findling-drain-"));
  logger = new RecordingLogger();
  clock = new ManualClock();
  database = new ListDatabase();
  queue = await EventQueue.open(folder, { diskBytesMax: 1e6, memoryBytesMax: 1e6, fileBytes: 80 }, logger);
  drain = new EventDrain(queue, database, clock, logger);
});

afterEach(async () => {
  await drain.stop();
  await queue.close();
  rmSync(folder, { recursive: true, force: true });
});

const row = (text: string): Buffer => Buffer.from(`"${text}"\n`);

test("brings everything in, oldest first, and removes it", async () => {
  for (const text of ["a".repeat(30), "b", "c"]) await queue.append(row(text), 1);
  await drain.drain();
  expect(database.taken).toEqual([
    { texts: [`"${"a".repeat(30)}"`], isUncertain: false },
    { texts: ['"b"', '"c"'], isUncertain: false },
  ]);
  expect(readdirSync(folder)).toEqual([]);
  expect(database.remembered).toEqual([[]]);
});

/** Only when a round is over does the drain wait for the time of the next. */
const roundOver = (): Promise<void> => expect.poll(() => clock.waiting).toBe(1);

test("does so by itself, again and again", async () => {
  drain.start();
  for (const text of ["a", "b"]) {
    await queue.append(row(text), 1);
    await clock.advance(500);
    await drain.drain();
  }
  expect(database.taken.map(({ texts }) => texts)).toEqual([['"a"'], ['"b"']]);
});

test("waits for more where many came", async () => {
  drain.start();
  const counts: number[] = [];
  for (const [eventCount, afterMs] of [
    [1000, 500],
    [999, 500],
    [0, 1499],
    [0, 1],
    [1, 500],
  ] as const) {
    if (eventCount > 0) await queue.append(row("a"), eventCount);
    await clock.advance(afterMs);
    await roundOver();
    counts.push(database.taken.length);
  }
  expect(counts).toEqual([1, 1, 1, 2, 3]);
});

test("waits longer and longer for a store that is away, and offers the same batch as uncertain", async () => {
  drain.start();
  await queue.append(row("a"), 1);
  database.failure = new FindlingError("storage_unavailable", "away");
  const times: number[] = [];
  for (let second = 0; second < 240; second++) {
    const before = database.attempts;
    await clock.advance(1000);
    await roundOver();
    if (database.attempts > before) times.push(second);
    if (times.length === 8) break;
  }
  const gaps = times.slice(1).map((time, index) => time - times[index]!);
  expect(gaps.every((gap, index) => index === 0 || gap >= gaps[index - 1]!)).toBe(true);
  expect(Math.max(...gaps)).toBeGreaterThan(5);
  expect(drain.isAvailable).toBe(false);
  expect(logger.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
  await expect(drain.drain()).rejects.toMatchObject({ code: "storage_unavailable" });

  database.failure = null;
  await queue.append(row("b"), 1);
  await drain.drain();
  expect(database.taken).toEqual([
    { texts: ['"a"'], isUncertain: true },
    { texts: ['"b"'], isUncertain: false },
  ]);
  expect(drain.isAvailable).toBe(true);
});

test("goes on after a batch whose file is gone, though that couldn't be made durable", async () => {
  await queue.append(row("a"), 1);
  database.onInsert = () => rmSync(folder, { recursive: true });
  await expect(drain.drain()).rejects.toMatchObject({ code: "storage_unavailable" });
  mkdirSync(folder);
  database.onInsert = () => {};
  await queue.append(row("b"), 1);
  await drain.drain();
  expect(database.taken.map(({ texts }) => texts)).toEqual([['"a"'], ['"b"']]);
  expect(queue).toMatchObject({ waitingEvents: 0, waitingBytes: 0, damagedFiles: [] });
});

test("names a batch whose file somebody has taken away, and goes on", async () => {
  await queue.append(row("a".repeat(30)), 1);
  const file = join(folder, readdirSync(folder)[0]!);
  rmSync(file);
  await queue.append(row("b"), 1);
  await drain.drain();
  expect(database.taken.map(({ texts }) => texts)).toEqual([['"b"']]);
  expect(queue.damagedFiles).toEqual([file]);
  expect(logger.lines).toMatchObject([{ level: "error", fields: { file } }]);
});

test("leaves a refused batch on disk and goes on", async () => {
  await queue.append(row("a".repeat(30)), 1);
  const [file] = readdirSync(folder);
  database.failure = new RefusedBatchError(new Error("no"));
  await drain.drain();
  database.failure = null;
  await queue.append(row("b"), 1);
  await drain.drain();
  expect(database.taken).toEqual([{ texts: ['"b"'], isUncertain: false }]);
  expect(queue.damagedFiles).toEqual([join(folder, file!)]);
  expect(readdirSync(folder)).toEqual([file]);
});

test("leaves a file that was damaged while it waited, and goes on", async () => {
  await queue.append(row("a".repeat(30)), 1);
  const path = join(folder, readdirSync(folder)[0]!);
  const bytes = readFileSync(path);
  bytes[70]! ^= 1;
  writeFileSync(path, bytes);
  await queue.append(row("b"), 1);
  await drain.drain();
  expect(database.taken).toEqual([{ texts: ['"b"'], isUncertain: false }]);
  expect(queue.damagedFiles).toEqual([path]);
  expect(readFileSync(path)).toEqual(bytes);
});

test("a file that has lost its end while it waited is damaged, not shorter", async () => {
  await queue.append(row("a".repeat(30)), 1);
  await queue.append(row("b".repeat(30)), 1);
  const path = join(folder, readdirSync(folder)[0]!);
  writeFileSync(path, readFileSync(path).subarray(0, 50));
  await drain.drain();
  expect(database.taken.map(({ texts }) => texts)).toEqual([[`"${"b".repeat(30)}"`]]);
  expect(queue.damagedFiles).toEqual([path]);
});
