/**
 * Properties: commit points are made once for what comes together; one that fails is tried again, later each time,
 * until it isn't wanted any more, whether or not anything else happens; files that it leaves without use are gone then.
 */
import { afterEach, describe, expect, test, vi } from "vitest";
import { FaultyDirectory } from "../../../tests/simulation/faulty-directory.js";
import { FindlingError } from "../../errors/index.js";
import { defineSchema, Index, TieredMergePolicy } from "../server-door.js";
import { CheckpointAlarm } from "./checkpoint-alarm.js";

const SCHEMA = defineSchema({ body: { kind: "text" } });

afterEach(() => {
  vi.useRealTimers();
});

/** An alarm of 10 ms, with what it does: each try is noted with its time, and fails while `isFull`. */
function watchedAlarm(afterMs: number | null = 10) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: 0 });
  const seen = { isFull: false, isWanted: true, mayWait: false, tries: [] as number[], errors: 0 };
  const alarm = new CheckpointAlarm({
    afterMs,
    checkpoint: async () => {
      seen.tries.push(Date.now());
      if (seen.isFull) throw new FindlingError("storage_unavailable", "full");
      seen.isWanted = false;
    },
    isWanted: () => seen.isWanted,
    mayWait: () => seen.mayWait,
    onError: () => seen.errors++,
  });
  return { alarm, seen };
}

describe("the alarm", () => {
  test("goes off once for what comes together, and not without need", async () => {
    const { alarm, seen } = watchedAlarm();
    alarm.soon();
    await vi.advanceTimersByTimeAsync(6);
    alarm.soon();
    await vi.advanceTimersByTimeAsync(1000);
    alarm.soon();
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.tries).toEqual([10]);
  });

  test("where it may wait, goes off once nothing has come for as long, or after sixteen times as long", async () => {
    const { alarm, seen } = watchedAlarm();
    seen.mayWait = true;
    for (let i = 0; i < 5; i++) {
      alarm.soon();
      await vi.advanceTimersByTimeAsync(7);
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(seen.tries).toEqual([40]);
    const start = Date.now();
    Object.assign(seen, { isWanted: true, tries: [] });
    for (let i = 0; i < 60; i++) {
      seen.isWanted = true;
      alarm.soon();
      await vi.advanceTimersByTimeAsync(5);
    }
    expect(seen.tries[0]! - start).toBe(160);
    // As soon as there is much to be read again.
    await vi.advanceTimersByTimeAsync(1000);
    Object.assign(seen, { isWanted: true, tries: [] });
    const again = Date.now();
    alarm.soon();
    await vi.advanceTimersByTimeAsync(5);
    alarm.soon();
    seen.mayWait = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen.tries[0]! - again).toBe(10);
  });

  test("goes off again after failures, later each time, up to a bound, and at first as soon as before", async () => {
    const { alarm, seen } = watchedAlarm();
    seen.isFull = true;
    alarm.soon();
    await vi.advanceTimersByTimeAsync(9000);
    const waits = seen.tries.map((at, i) => at - (seen.tries[i - 1] ?? 0));
    expect(waits).toEqual([10, 80, 160, 320, 640, 1280, 2400, 2400]);
    expect(seen.errors).toBe(waits.length);
    seen.isFull = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(seen.tries).toHaveLength(waits.length + 1);
    Object.assign(seen, { isFull: true, isWanted: true, tries: [] });
    const start = Date.now();
    alarm.soon();
    await vi.advanceTimersByTimeAsync(100);
    expect(seen.tries.map((at) => at - start)).toEqual([10, 90]);
  });

  test("goes off again after a failure as soon, however much comes meanwhile", async () => {
    const { alarm, seen } = watchedAlarm();
    Object.assign(seen, { isFull: true, mayWait: true });
    alarm.soon();
    for (let i = 0; i < 130; i++) {
      await vi.advanceTimersByTimeAsync(5);
      if (i > 1) alarm.soon();
    }
    expect(seen.tries).toEqual([10, 90, 250, 570]);
    alarm.close();
  });

  test("stays silent once it is closed, nothing is wanted, or it has no delay", async () => {
    const closed = watchedAlarm();
    closed.seen.isFull = true;
    closed.alarm.soon();
    closed.alarm.close();
    await closed.alarm.now();
    const unwanted = watchedAlarm();
    Object.assign(unwanted.seen, { isFull: true, isWanted: false });
    await unwanted.alarm.now();
    const asked = watchedAlarm(null);
    asked.seen.isFull = true;
    asked.alarm.soon();
    await asked.alarm.now();
    await vi.advanceTimersByTimeAsync(10_000);
    for (const { seen } of [closed, unwanted, asked]) expect(seen.tries).toHaveLength(1);
  });
});

test("files of merged segments are gone once a full disk has room again, though nothing is written", async () => {
  const directory = new FaultyDirectory(1);
  const errors: unknown[] = [];
  const index = await Index.create(directory, SCHEMA, {
    lock: false,
    mergePolicy: new TieredMergePolicy({ segmentsPerTier: 3, floorBytes: 1 << 20 }),
    checkpointAfterMs: 1,
    onCommitPointError: (error) => errors.push(error),
  });
  const documentStores = async (): Promise<number> =>
    (await directory.list()).filter((name) => name.endsWith(".doc")).length;
  for (const body of ["one", "two"]) {
    await index.add([{ body }]);
    await index.commit();
  }
  await index.settled();
  const stage = vi
    .spyOn(directory, "stage")
    .mockRejectedValue(new FindlingError("storage_unavailable", "full"));
  await index.add([{ body: "three" }]);
  await index.commit();
  await index.merge();
  expect(index.segmentCount).toBe(1);
  // What commit and merge have asked for is over by then: those after it are tried by themselves.
  const asked = errors.length;
  await expect.poll(() => errors.length).toBeGreaterThan(asked + 1);
  expect(await documentStores()).toBeGreaterThan(1);
  stage.mockRestore();
  await expect.poll(documentStores).toBe(1);
  await index.close();
});
