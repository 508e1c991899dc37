/**
 * Properties: what waits stays within the bound, but for a write that waits alone and for small ones, which are
 * always taken and count; what has ended, well or badly, counts no longer.
 */
import { expect, test } from "vitest";
import { WriteBacklog } from "./write-backlog.js";

const KIBIBYTE = 1024;

/** A write that lasts until it is told to end. */
function lasting(
  backlog: WriteBacklog,
  bytes: number,
): { end(error?: Error): void; settled: Promise<string> } {
  let end: (error?: Error) => void = () => undefined;
  const running = backlog.run(
    bytes,
    () =>
      new Promise<string>((resolve, reject) => (end = (error) => (error ? reject(error) : resolve("done")))),
  );
  const settled = running.catch((error: { code?: string; message: string }) => error.code ?? error.message);
  return { end: (error) => end(error), settled };
}

test("refuses a large write beyond the bound, until others have ended, however they did", async () => {
  const backlog = new WriteBacklog(100 * KIBIBYTE);
  const first = lasting(backlog, 60 * KIBIBYTE);
  const second = lasting(backlog, 40 * KIBIBYTE);
  expect(await lasting(backlog, 17 * KIBIBYTE).settled).toBe("rate_limited");
  first.end();
  expect(await first.settled).toBe("done");
  const third = lasting(backlog, 60 * KIBIBYTE);
  second.end(new Error("disk"));
  expect(await second.settled).toBe("disk");
  const fourth = lasting(backlog, 40 * KIBIBYTE);
  third.end();
  fourth.end();
  expect(await Promise.all([third.settled, fourth.settled])).toEqual(["done", "done"]);
});

test("one alone may hold any number", async () => {
  const backlog = new WriteBacklog(100 * KIBIBYTE);
  const only = lasting(backlog, 500 * KIBIBYTE);
  expect(await lasting(backlog, 17 * KIBIBYTE).settled).toBe("rate_limited");
  only.end();
  expect(await only.settled).toBe("done");
});

test("small writes are taken however much waits, and count against large ones", async () => {
  const backlog = new WriteBacklog(100 * KIBIBYTE);
  const large = lasting(backlog, 100 * KIBIBYTE);
  const small = Array.from({ length: 3 }, () => lasting(backlog, 16 * KIBIBYTE));
  large.end();
  expect(await large.settled).toBe("done");
  expect(await lasting(backlog, 60 * KIBIBYTE).settled).toBe("rate_limited");
  for (const each of small) each.end();
  expect(await Promise.all(small.map(({ settled }) => settled))).toEqual(["done", "done", "done"]);
});
