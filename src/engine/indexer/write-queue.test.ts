import { describe, expect, test, vi } from "vitest";
import { runInSlices, type SlicedWork } from "../segment/sliced-work.js";
import { type LetOthers, WriteQueue } from "./write-queue.js";

/** Preparation of a bulk that is such work. */
function sliced<T>(work: SlicedWork<T>): (between: LetOthers) => Promise<T> {
  return (between) => runInSlices(work, between);
}

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

  describe("bulks", () => {
    /** Work of so many slices, each longer than the queue's. */
    function* slices(count: number, log: string[], name: string): SlicedWork<string> {
      for (let i = 0; i < count; i++) {
        for (const end = performance.now() + 5; performance.now() < end; );
        log.push(`${name} prepared ${i}`);
        yield;
      }
      return name;
    }

    test("keep their order, are prepared when their turn has come, and are acknowledged after a sync", async () => {
      const log: string[] = [];
      const queue = new WriteQueue(async () => void log.push("sync"));
      const bulk = (name: string): Promise<void> =>
        queue
          .bulk(sliced(slices(1, log, name)), async (prepared) => void log.push(`${prepared} runs`))
          .then(() => void log.push(`${name} done`));
      await Promise.all([bulk("a"), bulk("b")]);
      const of = (name: string): string[] => log.filter((line) => line.startsWith(name));
      expect(of("a")).toEqual(["a prepared 0", "a runs", "a done"]);
      expect(of("b")).toEqual(["b prepared 0", "b runs", "b done"]);
      expect(log.indexOf("b prepared 0")).toBeGreaterThan(log.indexOf("a runs"));
      expect(log.slice(0, log.indexOf("a done"))).toContain("sync");
      expect(log.at(-1)).toBe("b done");
      expect(log.filter((line) => line === "sync")).toHaveLength(2);
    });

    test("let writes and barriers go first, also while they are prepared; these keep their order", async () => {
      const log: string[] = [];
      const queue = new WriteQueue(async () => undefined);
      const others: Promise<void>[] = [];
      function* preparation(): SlicedWork {
        yield* slices(1, log, "a");
        others.push(
          queue.write(async () => void log.push("write 1")),
          queue.barrier(async () => void log.push("commit")),
          queue.write(async () => void log.push("write 2")),
        );
        yield* slices(2, log, "a again");
      }
      const first = queue.bulk(sliced(preparation()), async () => void log.push("a runs"));
      const second = queue.bulk(sliced(slices(1, log, "b")), async () => void log.push("b runs"));
      await Promise.all([first, second, queue.write(async () => void log.push("write 0"))]);
      await Promise.all(others);
      expect(log[0]).toBe("write 0");
      expect(log.filter((line) => /write|commit/.test(line))).toEqual([
        "write 0",
        "write 1",
        "commit",
        "write 2",
      ]);
      expect(log.indexOf("write 2")).toBeLessThan(log.indexOf("a runs"));
      expect(log.at(-1)).toBe("b runs");
    });

    test("one runs only after the sync of the one before, however long ago it has been prepared", async () => {
      const log: string[] = [];
      const syncs: (() => void)[] = [];
      const queue = new WriteQueue(() => new Promise((resolve) => syncs.push(resolve)));
      const bulk = (name: string): Promise<void> =>
        queue.bulk(sliced(slices(1, log, name)), async () => void log.push(`${name} runs`));
      const both = Promise.all([bulk("a"), bulk("b")]);
      await expect.poll(() => log).toContain("b prepared 0");
      for (let turn = 0; turn < 20; turn++) await new Promise((resume) => setImmediate(resume));
      expect(log).toEqual(["a prepared 0", "a runs", "b prepared 0"]);
      syncs[0]!();
      await expect.poll(() => syncs).toHaveLength(2);
      expect(log.at(-1)).toBe("b runs");
      syncs[1]!();
      await both;
    });

    test("nothing is written while a bulk is being acknowledged, and what fails fails alone", async () => {
      let isSyncing = false;
      let syncs = 0;
      const queue = new WriteQueue(async () => {
        isSyncing = true;
        await new Promise((resolve) => setTimeout(resolve, 10));
        isSyncing = false;
        if (++syncs === 1) throw new Error("sync failed");
      });
      const run = async (name: string): Promise<string> => {
        expect(isSyncing).toBe(false);
        return name;
      };
      function* broken(): SlicedWork<string> {
        yield;
        throw new Error("preparing failed");
      }
      const writes: Promise<string>[] = [];
      const results = Promise.allSettled([
        queue.bulk(sliced(slices(1, [], "a")), (prepared) => {
          writes.push(queue.write(() => run("write")));
          return run(prepared);
        }),
        queue.bulk(sliced(broken()), run),
        queue.bulk(sliced(slices(1, [], "b")), () => Promise.reject(new Error("writing failed"))),
        queue.bulk(sliced(slices(1, [], "c")), run),
      ]);
      expect(
        (await results).map((result) =>
          result.status === "rejected" ? String(result.reason) : result.value,
        ),
      ).toEqual(["Error: sync failed", "Error: preparing failed", "Error: writing failed", "c"]);
      expect(await Promise.all(writes)).toEqual(["write"]);
      await queue.idle();
      expect(queue.isIdle).toBe(true);
    });

    test("are not held up by rounds for longer than their preparation takes, but for one", async () => {
      let now = 0;
      const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
      try {
        const queue = new WriteQueue(async () => undefined);
        let rounds = 0;
        let isDone = false;
        const write = async (): Promise<void> => {
          now += 50;
          rounds++;
          if (!isDone) void queue.write(write);
        };
        function* preparation(): SlicedWork {
          for (let i = 0; i < 40; i++) {
            now += 5;
            yield;
          }
        }
        const bulk = queue.bulk(sliced(preparation()), async () => void (isDone = true));
        await Promise.all([queue.write(write), bulk]);
        await queue.idle();
        expect(rounds).toBeGreaterThan(3);
        expect(rounds).toBeLessThan(10);
      } finally {
        clock.mockRestore();
      }
    });

    test("are prepared while others wait for the disk, and stand still while these work", async () => {
      const log: string[] = [];
      const lasting = async (ends: Promise<void>, name: string): Promise<void> => {
        log.push(`${name} begins`);
        await ends;
        log.push(`${name} ends`);
      };
      const signal = (): { promise: Promise<void>; give: () => void } => {
        let give = (): void => undefined;
        return { promise: new Promise((resolve) => (give = resolve)), give: () => give() };
      };
      const [synced, committed, worked] = [signal(), signal(), signal()];
      const queue = new WriteQueue(() => lasting(synced.promise, "sync"));
      const others: Promise<void>[] = [];
      function* preparation(): SlicedWork {
        yield* slices(1, log, "before");
        others.push(
          queue.write(async () => void log.push("write")),
          queue.barrier(async (whileWaiting) => {
            await whileWaiting(lasting(committed.promise, "commit"));
            await lasting(worked.promise, "work");
          }),
        );
        // The slice that the writes came in goes on to the end of the first of these.
        yield* slices(3, log, "during the sync");
        synced.give();
        yield* slices(3, log, "during the commit");
        committed.give();
        setTimeout(worked.give, 20);
        yield* slices(5, log, "afterwards");
      }
      const bulk = queue.bulk(sliced(preparation()), async () => void log.push("runs"));
      await Promise.all([bulk, ...others]);
      const at = (line: string): number => log.indexOf(line);
      expect(at("sync begins")).toBeLessThan(at("during the sync prepared 1"));
      expect(at("during the sync prepared 2")).toBeLessThan(at("sync ends"));
      expect(at("commit begins")).toBeLessThan(at("during the commit prepared 1"));
      expect(at("during the commit prepared 2")).toBeLessThan(at("commit ends"));
      expect(at("work ends")).toBe(at("work begins") + 1);
      expect(at("work ends")).toBeLessThan(at("afterwards prepared 4"));
      expect(at("work ends")).toBeLessThan(at("runs"));
    });

    test("run only when the others beside their preparation are done", async () => {
      const log: string[] = [];
      let syncs = 0;
      const queue = new WriteQueue(async () => {
        await new Promise((resolve) => setTimeout(resolve, syncs++ === 0 ? 30 : 0));
        log.push("synced");
      });
      const writes: Promise<void>[] = [];
      function* preparation(): SlicedWork {
        writes.push(queue.write(async () => void log.push("write")));
        yield* slices(1, log, "a");
      }
      await queue.bulk(sliced(preparation()), async () => void log.push("runs"));
      await Promise.all(writes);
      expect(log.slice(0, 4)).toEqual(["a prepared 0", "write", "synced", "runs"]);
    });

    test("go on once those are answered whose turn it was", async () => {
      const log: string[] = [];
      const queue = new WriteQueue(async () => undefined);
      const answers: Promise<void>[] = [];
      /** As far from the queue as whoever answers is. */
      const answer = async (write: Promise<void>): Promise<void> => {
        await write;
        for (let i = 0; i < 20; i++) await Promise.resolve();
        log.push("answered");
      };
      function* preparation(): SlicedWork {
        answers.push(answer(queue.write(async () => undefined)));
        yield* slices(2, log, "a");
      }
      await queue.bulk(sliced(preparation()), async () => undefined);
      await Promise.all(answers);
      expect(log).toEqual(["a prepared 0", "answered", "a prepared 1"]);
    });

    test("what comes behind all overtakes none of them, and is overtaken by small writes", async () => {
      const log: string[] = [];
      const queue = new WriteQueue(async () => undefined, 2);
      const told = [
        queue.bulk(sliced(slices(2, [], "a")), async () => void log.push("a")),
        queue.bulk(sliced(slices(2, [], "b")), async () => void log.push("b")),
        queue.behindAll(async () => void log.push("rollback")),
        queue.barrier(async () => void log.push("commit")),
      ];
      await Promise.all(told);
      expect(log).toEqual(["commit", "a", "b", "rollback"]);
    });

    test("count among those that wait", async () => {
      const queue = new WriteQueue(async () => undefined, 1);
      const first = queue.bulk(sliced(slices(1, [], "a")), async () => 1);
      await expect(queue.bulk(sliced(slices(1, [], "b")), async () => 2)).rejects.toMatchObject({
        code: "rate_limited",
      });
      await expect(queue.write(async () => 3)).rejects.toMatchObject({ code: "rate_limited" });
      expect(await first).toBe(1);
    });

    test("idle waits for the last one's sync, and for what comes during it", async () => {
      let ran = 0;
      let syncs = 0;
      const queue = new WriteQueue(async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (syncs++ === 0) void queue.write(async () => ran++);
      });
      void queue.bulk(sliced(slices(1, [], "a")), async () => ran++);
      await queue.idle();
      expect([ran, syncs]).toEqual([2, 2]);
    });
  });
});
