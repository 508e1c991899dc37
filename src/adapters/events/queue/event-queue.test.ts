// Properties: what was acknowledged is there after a restart, in order; every flipped byte of a whole
// file is reported, and other files go on; a file that was being written is cut to whole groups,
// wherever it was torn; a failed sync loses no acknowledged group and gives back none that was refused.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FindlingError } from "../../../errors/index.js";
import type { Logger } from "../../../ports/logger.js";
import { checkWaitingEvents } from "./check-waiting-events.js";
import { EventQueue, type EventQueueLimits } from "./event-queue.js";
import { readBatch } from "./read-batch.js";

const LIMITS: EventQueueLimits = { diskBytesMax: 1e9, memoryBytesMax: 1e8, fileBytes: 2000 };

let folder: string;
let problems: unknown[];
let news: unknown[];
const logger: Logger = {
  info: (message) => news.push(message),
  warn: () => {},
  error: (_message, _fields, error) => problems.push(error),
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-queue-"));
  problems = [];
  news = [];
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const openQueue = (limits: Partial<EventQueueLimits> = {}): Promise<EventQueue> =>
  EventQueue.open(folder, { ...LIMITS, ...limits }, logger);

const line = (text: string): Buffer => Buffer.from(`{"x":"${text}"}\n`);

/** Opens what a crash at this moment would leave. */
async function crash(queue: EventQueue): Promise<EventQueue> {
  const left = mkdtempSync(join(tmpdir(), "findling-queue-"));
  cpSync(folder, left, { recursive: true });
  await queue.close();
  rmSync(folder, { recursive: true });
  folder = left;
  return openQueue();
}

/** Everything that waits, oldest first. */
async function drainTexts(queue: EventQueue): Promise<string[]> {
  const texts: string[] = [];
  for (;;) {
    const batch = await queue.oldest();
    if (batch === null) return texts;
    const { rows, eventCount } = await readBatch(batch.path, batch.id);
    const lines = Buffer.concat(rows).toString().split("\n").slice(0, -1);
    expect(lines.length).toBe(eventCount);
    expect(batch.eventCount).toBe(eventCount);
    texts.push(...lines.map((each) => (JSON.parse(each) as { x: string }).x));
    await queue.remove(batch);
  }
}

/** The folder's one file. */
function onlyFile(): string {
  const names = readdirSync(folder);
  expect(names).toHaveLength(1);
  return join(folder, names[0]!);
}

describe("event queue", () => {
  test("takes more in one group than the system takes pieces in one call, also a part of them at a time", async () => {
    const probe = await open(join(folder, "probe"), "w");
    const FileHandle = Object.getPrototypeOf(probe) as typeof probe;
    await probe.close();
    rmSync(join(folder, "probe"));
    const { writev } = FileHandle;
    let calls = 0;
    vi.spyOn(FileHandle, "writev").mockImplementation(async function (this: typeof probe, pieces, position) {
      calls++;
      const part = Buffer.concat(pieces as readonly Buffer[]);
      const whole = await writev.call(
        this,
        calls % 2 === 0 ? [part.subarray(0, part.length / 3)] : pieces,
        position,
      );
      return { bytesWritten: whole.bytesWritten, buffers: pieces };
    });
    const queue = await openQueue({ fileBytes: 1e6 });
    const texts: string[] = [];
    for (let group = 0; group < 2; group++) {
      const appended: Promise<void>[] = [];
      for (let i = 0; i < 3_000; i++) {
        texts.push(`${group} ${i}`);
        appended.push(queue.append(line(`${group} ${i}`), 1));
      }
      await Promise.all(appended);
    }
    expect(calls).toBeGreaterThanOrEqual(2);
    expect(await drainTexts(await crash(queue))).toEqual(texts);
  });

  test("gives back what was acknowledged, in order, over restarts", async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.nat({ max: 3000 }) },
      { weight: 1, arbitrary: fc.constantFrom("restart", "crash", "seal") },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        let queue = await openQueue();
        const expected: string[] = [];
        for (const [index, each] of steps.entries()) {
          if (typeof each === "number") {
            const text = `${index}${"x".repeat(each)}`;
            await queue.append(line(text), 1);
            expected.push(text);
          } else if (each === "seal") {
            await queue.closeActive();
          } else {
            if (each === "restart") await queue.close();
            queue = await (each === "crash" ? crash(queue) : openQueue());
          }
        }
        expect(queue.waitingEvents).toBe(expected.length);
        expect(await drainTexts(queue)).toEqual(expected);
        expect([queue.waitingEvents, queue.waitingBytes, readdirSync(folder)]).toEqual([0, 0, []]);
        await queue.close();
      }),
      { numRuns: 30 },
    );
  });

  test("calls that overlap share syncs, each whole", async () => {
    const queue = await openQueue({ fileBytes: 1e9 });
    const handle = await open(join(folder, "probe"), "w");
    const datasync = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, "datasync");
    await handle.close();
    rmSync(join(folder, "probe"));
    const texts = Array.from({ length: 200 }, (_, index) => `event ${index}`);
    await Promise.all(texts.map((text) => queue.append(line(text), 1)));
    expect(datasync.mock.calls.length).toBeLessThan(20);
    expect(await drainTexts(queue)).toEqual(texts);
  });

  test("every flipped byte of a whole file is reported, and other files go on", async () => {
    const queue = await openQueue();
    for (const text of ["a", "bc"]) await queue.append(line(text), 1);
    await queue.close();
    const path = onlyFile();
    const bytes = readFileSync(path);
    for (let place = 0; place < bytes.length; place++) {
      const damaged = Buffer.from(bytes);
      damaged[place]! ^= 1 << (place % 8);
      writeFileSync(path, damaged);
      problems = [];
      const checked = (await checkWaitingEvents(folder)).map(({ file }) => file);
      const reopened = await openQueue();
      await reopened.append(line("later"), 1);
      const texts = await drainTexts(reopened);
      await reopened.close();
      // Without its last record, the file is one that was still being written when the machine died.
      if (place >= bytes.length - 24) {
        expect(texts, `byte ${place}`).toEqual(["a", "bc", "later"]);
        expect([problems, checked]).toEqual([[], []]);
      } else {
        expect(texts, `byte ${place}`).toEqual(["later"]);
        expect(checked).toEqual([path]);
        expect(reopened.damagedFiles).toEqual([path]);
        expect(problems).toHaveLength(1);
        expect(readFileSync(path)).toEqual(damaged);
      }
      writeFileSync(path, bytes);
    }
  });

  test("tools that only read find nothing wrong beside a queue that is written and emptied", async () => {
    const queue = await openQueue();
    for (let i = 0; i < 50; i++) {
      const writing = Promise.all(["one", "two"].map((text) => queue.append(line(text), 1)));
      expect(await checkWaitingEvents(folder)).toEqual([]);
      await writing;
      const batch = await queue.oldest();
      const [found] = await Promise.all([
        checkWaitingEvents(folder),
        batch === null ? null : queue.remove(batch),
      ]);
      expect(found).toEqual([]);
    }
    await queue.close();
    expect(await checkWaitingEvents(join(folder, "nowhere"))).toEqual([]);
  });

  test.each(["cut", "zeros", "garbage"])(
    "a file torn by a crash (%s) is cut to whole groups",
    async (tear) => {
      const queue = await openQueue({ fileBytes: 1e9 });
      const lengths: number[] = [0];
      for (const text of ["one", "two", "three"]) {
        await queue.append(Buffer.concat([line(text), line(`${text}!`)]), 2);
        lengths.push(readFileSync(onlyFile()).length);
      }
      const path = onlyFile();
      const bytes = readFileSync(path);
      await queue.close();
      // The last group may be torn anywhere; those before it were durable when it was written.
      for (let place = lengths[2]!; place < bytes.length; place += 3) {
        const torn = Buffer.from(bytes);
        if (tear === "zeros") torn.fill(0, place);
        if (tear === "garbage") torn.fill("\xfe\xfd", place);
        writeFileSync(path, tear === "cut" ? torn.subarray(0, place) : torn);
        const reopened = await openQueue();
        expect(reopened.damagedFiles).toEqual([]);
        expect(await drainTexts(reopened), `from byte ${place}`).toEqual(["one", "one!", "two", "two!"]);
        await reopened.close();
      }
      // Before it, zeros are damage.
      if (tear !== "zeros") return;
      const damaged = Buffer.from(bytes);
      damaged.fill(0, lengths[1], lengths[1]! + 8);
      writeFileSync(path, damaged);
      const reopened = await openQueue();
      expect(reopened.damagedFiles).toEqual([path]);
      await reopened.close();
    },
  );

  test("a file whose beginning was torn before anything was acknowledged is removed", async () => {
    const queue = await openQueue();
    await queue.append(line("a"), 1);
    const path = onlyFile();
    await queue.close();
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(20), Buffer.alloc(500)]) {
      writeFileSync(path, bytes);
      const reopened = await openQueue();
      expect(reopened.damagedFiles).toEqual([]);
      await reopened.close();
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test("a batch keeps its id and its contents over crashes, and is uncertain after one", async () => {
    let queue = await openQueue();
    await queue.append(line("a"), 1);
    const id = onlyFile().slice(-43, -7);
    for (let round = 0; round < 3; round++) {
      queue = await crash(queue);
      expect(queue.wholeBatches).toMatchObject([{ id, isUncertain: true, eventCount: 1 }]);
      expect(await readBatch(onlyFile(), id)).toMatchObject({ isSealed: true, eventCount: 1 });
    }
    await queue.close();
  });

  test("a failed sync loses nothing that was acknowledged, and the next call goes on", async () => {
    const queue = await openQueue({ fileBytes: 1e9 });
    await queue.append(line("a"), 1);
    const handle = await open(onlyFile(), "r");
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    vi.spyOn(prototype, "datasync").mockRejectedValueOnce(new Error("EIO"));
    await expect(queue.append(line("refused"), 1)).rejects.toMatchObject({ code: "storage_unavailable" });
    // What mends the file fails, too.
    vi.spyOn(prototype, "truncate").mockRejectedValueOnce(new Error("EIO"));
    await expect(queue.append(line("refused as well"), 1)).rejects.toThrow(FindlingError);
    await queue.append(line("b"), 1);
    expect(queue.waitingEvents).toBe(2);
    expect(await drainTexts(queue)).toEqual(["a", "b"]);
    expect(queue.waitingBytes).toBe(0);
    await queue.close();
  });

  test("a file that can't be closed is mended", async () => {
    const queue = await openQueue({ fileBytes: 1e9 });
    await queue.append(line("a"), 1);
    const handle = await open(onlyFile(), "r");
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    vi.spyOn(prototype, "write").mockRejectedValueOnce(new Error("ENOSPC"));
    expect(await drainTexts(queue)).toEqual(["a"]);
    expect(queue.waitingBytes).toBe(0);
    await queue.close();
  });

  test("a folder that is gone refuses events until it is back", async () => {
    const queue = await openQueue();
    rmSync(folder, { recursive: true });
    await expect(queue.append(line("a"), 1)).rejects.toMatchObject({ code: "storage_unavailable" });
    mkdirSync(folder);
    await queue.append(line("b"), 1);
    expect(await drainTexts(queue)).toEqual(["b"]);
    await queue.close();
  });

  test("a disk that refuses for long is logged once, and once when it takes events again", async () => {
    const queue = await openQueue();
    rmSync(folder, { recursive: true });
    for (let call = 0; call < 3; call++)
      await expect(queue.append(line("a"), 2)).rejects.toThrow(FindlingError);
    expect(problems).toMatchObject([{ code: "ENOENT" }]);
    mkdirSync(folder);
    await queue.append(line("b"), 1);
    await queue.append(line("c"), 1);
    expect(news).toEqual(["the disk takes usage events again"]);
    rmSync(folder, { recursive: true });
    await queue.oldest();
    await expect(queue.append(line("d"), 1)).rejects.toThrow(FindlingError);
    expect(problems).toHaveLength(2);
    mkdirSync(folder);
    await queue.close();
  });

  test("beyond what may wait, senders are told when to come again", async () => {
    const queue = await openQueue({ diskBytesMax: 5000 });
    const row = line("x".repeat(1000));
    let accepted = 0;
    const refusal = await (async () => {
      for (;;) {
        try {
          await queue.append(row, 1);
          accepted++;
        } catch (error) {
          return error;
        }
      }
    })();
    expect(refusal).toMatchObject({ code: "rate_limited", retryAfterSeconds: 30 });
    expect(accepted).toBe(4);
    expect(await drainTexts(queue)).toHaveLength(4);
    await queue.append(row, 1);
    await queue.close();
  });

  test("what waits for the disk is bounded, but for one call alone", async () => {
    const queue = await openQueue({ memoryBytesMax: 1500 });
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => queue.append(line("x".repeat(1000)), 1)),
    );
    // The first is taken by the disk at once or waits alone; the others don't fit beside it.
    expect(results.filter(({ status }) => status === "fulfilled").length).toBeLessThan(3);
    expect(results.at(-1)).toMatchObject({ reason: { code: "rate_limited", retryAfterSeconds: 1 } });
    await queue.append(line("x".repeat(9000)), 1);
    await queue.close();
    await expect(queue.append(line("late"), 1)).rejects.toMatchObject({ code: "shutting_down" });
  });
});
