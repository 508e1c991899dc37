/**
 * Properties: only the thread that asks for it steps back, as the system sees it; asking for less than a
 * thread has given up already changes nothing; of a server's process all threads but the one that answers
 * step back.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { compiledFile } from "./compiled-file.js";
import { THREAD_NICENESS } from "./lower-thread-priority.js";

/** Nice values by thread: the 19th field of `stat`, behind a name in brackets that may hold anything. */
function nicenessByThread(): Map<string, number> {
  return new Map(
    readdirSync("/proc/self/task").map((thread) => {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, "utf8");
      return [thread, Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16])];
    }),
  );
}

/** Runs an ES module's text in a thread of its own, until it posts its first message. */
async function inThread(code: string): Promise<{ message: unknown; worker: Worker }> {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    // What the writing thread is told.
    workerData: { pendingBytesMax: 1 << 20 },
  });
  const message = await new Promise<unknown>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  return { message, worker };
}

/** Other systems know none of threads; and where the whole process has stepped back, little is left to give up. */
const SEES_PRIORITIES = process.platform === "linux" && getPriority() <= 0;

const MODULE = JSON.stringify(compiledFile("lower-thread-priority.js").href);

test.runIf(SEES_PRIORITIES)("one thread steps back, the others stay", async () => {
  const before = nicenessByThread();
  const own = before.get(String(process.pid))!;
  const { message, worker } = await inThread(`
    import { lowerThreadPriority } from ${MODULE};
    import { readlinkSync } from "node:fs";
    import { parentPort } from "node:worker_threads";
    lowerThreadPriority(${own + 7});
    lowerThreadPriority(${own + 3});
    parentPort.on("message", () => {});
    parentPort.postMessage(readlinkSync("/proc/thread-self").split("/").at(-1));
  `);
  const now = nicenessByThread();
  await worker.terminate();
  expect(now.get(message as string)).toBe(own + 7);
  now.delete(message as string);
  for (const [thread, niceness] of now) expect(niceness).toBe(before.get(thread) ?? own);
});

test.runIf(SEES_PRIORITIES)("all others step back at once", () => {
  const code = `
    import { lowerOtherThreads, lowerThreadPriority } from ${MODULE};
    import { readdirSync } from "node:fs";
    import { getPriority } from "node:os";
    const values = () => readdirSync("/proc/self/task").map((thread) => [Number(thread), getPriority(Number(thread))]);
    const before = values();
    lowerOtherThreads(getPriority() + 4);
    lowerOtherThreads(getPriority() + 2);
    console.log(JSON.stringify({ own: process.pid, before, after: values() }));
  `;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", code]).toString();
  const { own, before, after } = JSON.parse(output) as Record<"before" | "after", [number, number][]> & {
    own: number;
  };
  const [[, niceness]] = before as [[number, number]];
  expect(before.length).toBeGreaterThan(2);
  expect(after.find(([thread]) => thread === own)).toEqual([own, niceness]);
  for (const [thread, now] of after) if (thread !== own) expect(now).toBe(niceness + 4);
});

test.runIf(SEES_PRIORITIES).each([
  ["merge-worker.js", THREAD_NICENESS.merging],
  ["writing/writing-thread.js", THREAD_NICENESS.writing],
])("%s steps back", async (file, niceness) => {
  const { worker } = await inThread(`
    import { parentPort } from "node:worker_threads";
    const importing = import(${JSON.stringify(compiledFile(file).href)});
    importing.then(() => parentPort.postMessage("started"));
  `);
  const values = [...nicenessByThread().values()];
  await worker.terminate();
  expect(values.filter((value) => value === niceness)).toHaveLength(1);
});
