import { describe, expect, test } from "vitest";
import { WriteQueue } from "./write-queue.js";

describe("WriteQueue", () => {
  test("runs writes in order, and writes that came together share one sync", async () => {
    const log: string[] = [];
    const queue = new WriteQueue(async () => {
      log.push("sync");
    });
    const write = (name: string): Promise<string> =>
      queue.write(async () => {
        await Promise.resolve();
        log.push(name);
        return name;
      });
    expect(await Promise.all([write("a"), write("b"), write("c")])).toEqual(["a", "b", "c"]);
    expect(log).toEqual(["a", "b", "c", "sync"]);
  });

  test("acknowledges nothing before its sync", async () => {
    let finishSync = (): void => undefined;
    const queue = new WriteQueue(() => new Promise((resolve) => (finishSync = resolve)));
    let acknowledged = false;
    const write = queue.write(async () => undefined).then(() => (acknowledged = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(acknowledged).toBe(false);
    finishSync();
    await write;
    expect(acknowledged).toBe(true);
  });

  test("a barrier waits for the sync of all before it, and needs none itself", async () => {
    const log: string[] = [];
    const queue = new WriteQueue(async () => {
      log.push("sync");
    });
    await Promise.all([
      queue.write(async () => void log.push("write")),
      queue.barrier(async () => void log.push("commit")),
      queue.write(async () => void log.push("after")),
    ]);
    expect(log).toEqual(["write", "sync", "commit", "after", "sync"]);
  });

  test("a failing write fails alone; a failing sync fails all that waited for it, and the queue goes on", async () => {
    let syncs = 0;
    const queue = new WriteQueue(async () => {
      if (++syncs === 1) throw new Error("sync failed");
    });
    const results = await Promise.allSettled([
      queue.write(async () => 1),
      queue.write(async () => {
        throw new Error("write failed");
      }),
      queue.write(async () => 3),
    ]);
    expect(
      results.map((result) => (result.status === "rejected" ? String(result.reason) : result.value)),
    ).toEqual(["Error: sync failed", "Error: write failed", "Error: sync failed"]);
    expect(await queue.write(async () => 4)).toBe(4);
  });

  test("idle resolves once everything has been settled", async () => {
    const queue = new WriteQueue(async () => undefined);
    let ran = 0;
    void queue.write(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      ran++;
    });
    void queue.barrier(async () => ran++);
    await queue.idle();
    expect(ran).toBe(2);
  });

  test("refuses writes beyond its limit, never a barrier, and takes writes again once others are settled", async () => {
    const queue = new WriteQueue(async () => undefined, 2);
    const first = [queue.write(async () => 1), queue.write(() => Promise.reject(new Error("write failed")))];
    await expect(queue.write(async () => 3)).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterSeconds: 1,
    });
    expect(await queue.barrier(async () => 4)).toBe(4);
    await Promise.allSettled(first);
    expect(await Promise.all([queue.write(async () => 5), queue.write(async () => 6)])).toEqual([5, 6]);
  });
});
