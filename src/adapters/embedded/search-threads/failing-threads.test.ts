/**
 * A thread that dies costs nobody an answer, nor does one that can't start; one that hangs is ended, a search that
 * nobody waits for ends, and none waits for ever. Threads run what `npm run build` has made of the sources.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  SearchThreadsHarness,
  snapshotOf,
  TASK,
  until,
} from "../../../../tests/kit/search-threads-harness.js";
import type { SearchCaller } from "../../../ports/search-backend.js";
import { Searches } from "../searches.js";
import { NoThread } from "./search-threads.js";

let harness: SearchThreadsHarness;
beforeEach(() => {
  harness = new SearchThreadsHarness();
});
afterEach(() => harness.close());

class LeavingCaller implements SearchCaller {
  isGone = false;
  readonly #listeners = new Set<() => void>();

  get listeners(): number {
    return this.#listeners.size;
  }

  whenGone(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  leave(): void {
    this.isGone = true;
    for (const listener of this.#listeners) listener();
  }
}

const real = new URL("../../../../dist/adapters/embedded/search-threads/search-worker.js", import.meta.url);

/** A worker that does this with the first searches that reach any thread, then what it should. */
function worker(first: string, times: number): URL {
  const file = join(harness.folder, "worker.mjs");
  const counter = join(harness.folder, "counter");
  writeFileSync(counter, "");
  writeFileSync(
    file,
    `import { appendFileSync, readFileSync } from "node:fs";
     import { parentPort, workerData } from "node:worker_threads";
     const isFirst = () => { appendFileSync(${JSON.stringify(counter)}, "x"); return readFileSync(${JSON.stringify(counter)}).length <= ${times}; };
     const on = parentPort.on.bind(parentPort);
     parentPort.on = (name, take) => on(name, (message) => { if (message.search !== null && isFirst()) { ${first} } take(message); });
     await import(${JSON.stringify(real.href)});`,
  );
  return pathToFileURL(file);
}

const HANG = "for (;;) {}";

test("a thread that dies costs nobody an answer", async () => {
  const made = snapshotOf(await harness.indexOf([[{ title: "winter" }]]));
  const threads = harness.pool(1, worker("process.exit(7)", 1));
  const all = await Promise.all([1, 2, 3].map(() => threads.run(TASK, [made], harness.patience())));
  expect(all).toEqual([1, 2, 3].map(() => harness.here(TASK, [made])));
});

test("a search over which two have died is refused, others aren't", async () => {
  const made = snapshotOf(await harness.indexOf([[{ title: "winter" }]]));
  const threads = harness.pool(1, worker("throw new Error('out of luck')", 2));
  const first = threads.run(TASK, [made], harness.patience());
  const second = threads.run(TASK, [made], harness.patience());
  await expect(first).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(await second).toEqual(harness.here(TASK, [made]));
});

test("where no thread can be started, searches run where they arrive", async () => {
  const stored = await harness.indexOf([[{ title: "winter" }]]);
  const broken = pathToFileURL(join(harness.folder, "broken.mjs"));
  writeFileSync(broken, "throw new Error('too many open files')");
  const threads = harness.pool(1, broken);
  const alone = threads.run(TASK, [snapshotOf(stored)], harness.patience());
  await expect(alone).rejects.toBeInstanceOf(NoThread);
  // Each of them is too dear for the thread that it arrives in.
  const searches = new Searches({ timeLimitMs: 60_000, costHereMax: 0 }, threads);
  const { plan } = TASK.members[0]!;
  const all = await Promise.all([1, 2, 3].map(async () => searches.ofIndex(stored, plan!)));
  expect(all.map(({ count }) => count)).toEqual([1, 1, 1]);
});

test("a search waits for a thread that there is, rather than for none; no other is started for a while", async () => {
  const made = snapshotOf(await harness.indexOf([[{ title: "winter" }]]));
  const [taken, released] = ["taken", "released"].map((name) => join(harness.folder, name));
  const hold = `appendFileSync(${JSON.stringify(taken)}, ""); for (;;) try { readFileSync(${JSON.stringify(released)}); break; } catch {}`;
  const good = worker(hold, 1);
  const starts = join(harness.folder, "starts");
  writeFileSync(starts, "");
  const file = join(harness.folder, "only-one.mjs");
  // The first place is number 2.
  writeFileSync(
    file,
    `import { appendFileSync } from "node:fs";
     import { workerData } from "node:worker_threads";
     if (workerData.threadNumber !== 2) { appendFileSync(${JSON.stringify(starts)}, "x"); throw new Error("too many open files"); }
     await import(${JSON.stringify(good.href)});`,
  );
  const threads = harness.pool(2, pathToFileURL(file));
  const first = threads.run(TASK, [made], harness.patience());
  await until(() => existsSync(taken!));
  const second = threads.run(TASK, [made], harness.patience());
  await until(() => readFileSync(starts).length === 1);
  const third = threads.run(TASK, [made], harness.patience());
  await new Promise((resolve) => setTimeout(resolve, 200));
  writeFileSync(released!, "");
  expect(await Promise.all([first, second, third])).toEqual([1, 2, 3].map(() => harness.here(TASK, [made])));
  expect(readFileSync(starts).length).toBe(1);
});

test("a thread that the system refuses at once is no thread either, and tried again later", async () => {
  const made = snapshotOf(await harness.indexOf([[{ title: "winter" }]]));
  // Thrown where the thread is made, as when the system has no more of them.
  const threads = harness.pool(2, new URL("http://127.0.0.1/none.mjs"));
  for (let i = 0; i < 2; i++) {
    await expect(threads.run(TASK, [made], harness.patience())).rejects.toBeInstanceOf(NoThread);
  }
  expect(harness.problems).toHaveLength(1);
  // Of the searches' time nothing is left; the next start waits.
  expect(harness.clock.waiting).toBe(1);
  await harness.clock.advance(1000);
  expect(harness.clock.waiting).toBe(0);
  // Somebody sets the system's time an hour back.
  vi.spyOn(harness.clock, "now").mockReturnValue(harness.clock.now() - 3_600_000);
  await expect(threads.run(TASK, [made], harness.patience())).rejects.toBeInstanceOf(NoThread);
  expect(harness.problems).toHaveLength(2);
});

test("a search whose caller went while its thread failed to start isn't run for nobody", async () => {
  const made = snapshotOf(await harness.indexOf([[{ title: "winter" }]]));
  const broken = pathToFileURL(join(harness.folder, "broken.mjs"));
  writeFileSync(broken, "throw new Error('too many open files')");
  const caller = new LeavingCaller();
  const run = harness.pool(1, broken).run(TASK, [made], harness.patience(), caller);
  caller.leave();
  await expect(run).rejects.toMatchObject({ code: "search_timeout" });
});

test("a thread that doesn't end by itself is ended 100 ms after the search's time, and replaced", async () => {
  const made = snapshotOf(await harness.indexOf([[{ title: "winter" }]]));
  const threads = harness.pool(1, worker(HANG, 1));
  const hanging = threads.run(TASK, [made], harness.patience(5000));
  await until(() => readFileSync(join(harness.folder, "counter")).length === 1);
  let ended = "running";
  hanging.catch((error: { code: string }) => (ended = error.code));
  await harness.clock.advance(5099);
  expect(ended).toBe("running");
  await harness.clock.advance(1);
  expect(ended).toBe("search_timeout");
  expect(await threads.run(TASK, [made], harness.patience())).toEqual(harness.here(TASK, [made]));
});

test("a search whose caller has gone waits no longer, and ends where it runs", async () => {
  const made = snapshotOf(await harness.indexOf([[{ title: "winter" }]]));
  const threads = harness.pool(1, worker("while (Atomics.load(workerData.abandoned, 0) === 0);", 1));
  const callers = [1, 2, 3].map(() => new LeavingCaller());
  const runs = callers.map((caller) => threads.run(TASK, [made], harness.patience(), caller));
  await until(() => readFileSync(join(harness.folder, "counter")).length === 1);
  const stopped = { code: "search_timeout", message: expect.stringContaining("stopped") };
  callers[1]!.leave();
  await expect(runs[1]).rejects.toMatchObject(stopped);
  callers[0]!.leave();
  await expect(runs[0]).rejects.toMatchObject(stopped);
  expect(await runs[2]).toEqual(harness.here(TASK, [made]));
  await expect(threads.run(TASK, [made], harness.patience(), callers[0])).rejects.toMatchObject(stopped);
  // Neither of those who have gone took a thread from the others.
  expect(readFileSync(join(harness.folder, "counter")).length).toBe(2);
  expect(callers.map(({ listeners }) => listeners)).toEqual([0, 0, 0]);
});

test("a search that can't begin within its time limit is refused as soon as that is to be expected", async () => {
  const made = snapshotOf(await harness.indexOf([[{ title: "winter" }]]));
  const [taken, released] = ["taken", "released"].map((name) => join(harness.folder, name));
  const hold = `appendFileSync(${JSON.stringify(taken)}, ""); for (;;) try { readFileSync(${JSON.stringify(released)}); break; } catch {}`;
  const threads = harness.pool(1, worker(hold, 1));
  const outcomes = new Map<string, string>();
  const run = (name: string, limitMs: number): void =>
    void threads.run(TASK, [made], harness.patience(limitMs)).then(
      () => outcomes.set(name, "found"),
      (error: { code: string; retryAfterSeconds: number }) =>
        outcomes.set(name, `${error.code} ${error.retryAfterSeconds}`),
    );
  run("runs", 60_000);
  await until(() => existsSync(taken!));
  for (const name of ["first", "second", "third"]) run(name, 5000);
  await harness.clock.advance(0);
  expect(outcomes.size).toBe(0);
  // The one that runs has taken more than two seconds: what waits behind another can't begin in less than three.
  await harness.clock.advance(2500);
  expect(outcomes.get("third")).toBe("rate_limited 4");
  expect(outcomes.has("first")).toBe(false);
  // And one that comes now, with a second for itself, needn't wait to be told so.
  run("late", 1000);
  await harness.clock.advance(0);
  expect(outcomes.get("late")).toMatch(/^rate_limited [3-6]$/);
  writeFileSync(released!, "");
  await until(() => outcomes.size === 5);
  expect(outcomes.get("runs")).toBe("found");
  expect(outcomes.get("first")).toBe("found");
});

test("of the searches that wait, too many are refused, and those whose time is up", async () => {
  const made = snapshotOf(await harness.indexOf([[{ title: "winter" }]]));
  const threads = harness.pool(1, worker(HANG, 1));
  const settled: string[] = [];
  const run = (limitMs: number): void =>
    void threads.run(TASK, [made], harness.patience(limitMs)).then(
      () => settled.push("found"),
      (error: { code: string; retryAfterSeconds: number }) =>
        settled.push(`${error.code} ${error.retryAfterSeconds}`),
    );
  run(5000);
  for (let i = 0; i < 256; i++) run(1000);
  await harness.clock.advance(0);
  expect(settled).toEqual([]);
  run(1000);
  await harness.clock.advance(0);
  expect(settled).toEqual(["rate_limited 1"]);
  await harness.clock.advance(1000);
  expect(settled).toHaveLength(257);
  for (const each of settled) expect(each).toMatch(/^rate_limited ([1-9]|[12]\d|30)$/);
  run(100_000);
  await threads.stop();
  await harness.clock.advance(0);
  expect(settled.slice(257)).toEqual(["storage_unavailable undefined", "storage_unavailable undefined"]);
  await expect(threads.run(TASK, [made], harness.patience())).rejects.toMatchObject({
    code: "storage_unavailable",
  });
});
