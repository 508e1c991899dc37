import fc from "fast-check";
import { expect, test } from "vitest";
import { IndexLocks } from "./index-locks.js";
import { ReadWriteLock } from "./read-write-lock.js";

// Goal: an exclusive holder is always alone, and everyone gets in, in the order of asking.
// Method: random jobs of random length over one lock, watched from inside.
test("exclusive work runs alone and nothing starts out of order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ exclusive: fc.boolean(), turns: fc.nat(3), fails: fc.boolean() })),
      async (jobs) => {
        const lock = new ReadWriteLock();
        const started: number[] = [];
        let shared = 0;
        let exclusive = 0;
        const outcomes = await Promise.allSettled(
          jobs.map((job, i) => {
            const work = async () => {
              started.push(i);
              if (job.exclusive) exclusive++;
              else shared++;
              for (let turn = 0; turn <= job.turns; turn++) {
                expect(exclusive === 0 || (exclusive === 1 && shared === 0)).toBe(true);
                await Promise.resolve();
              }
              if (job.exclusive) exclusive--;
              else shared--;
              if (job.fails) throw new Error("the job fails");
            };
            return job.exclusive ? lock.exclusive(work) : lock.shared(work);
          }),
        );
        expect(outcomes.map((outcome) => outcome.status === "rejected")).toEqual(
          jobs.map((job) => job.fails),
        );
        expect(started).toEqual(jobs.map((_, i) => i));
        expect(lock.isIdle).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});

test("shared work overlaps", async () => {
  const lock = new ReadWriteLock();
  let release = () => {};
  const first = lock.shared(
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  await lock.shared(async () => release());
  await first;
});

test("names don't wait for each other, and one name is one lock", async () => {
  const locks = new IndexLocks();
  const order: string[] = [];
  let release = () => {};
  const held = locks.exclusive("a", () => {
    order.push("a begins");
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  const waiting = locks.shared("a", async () => void order.push("a again"));
  await locks.exclusive("b", async () => void order.push("b"));
  release();
  await Promise.all([held, waiting]);
  expect(order).toEqual(["a begins", "b", "a again"]);
});
