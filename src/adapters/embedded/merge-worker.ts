/** The thread that merges: opens the folder without its lock, reads immutable files, writes new ones. */
import { parentPort } from "node:worker_threads";
import { FileDirectory, runMerge } from "../../engine/index.js";
import { lowerThreadPriority, THREAD_NICENESS } from "./lower-thread-priority.js";
import type { MergeReply, MergeRequest } from "./worker-merge-runner.js";

const port = parentPort;
if (port === null) throw new Error("merge-worker runs as a worker thread only");
lowerThreadPriority(THREAD_NICENESS.merging);

// One at a time: a merge keeps a core busy, and the other ones are needed for requests.
let previous: Promise<void> = Promise.resolve();

port.on("message", ({ id, path, task }: MergeRequest) => {
  previous = previous.then(async () => {
    let error: string | null = null;
    try {
      await runMerge(await FileDirectory.open(path, { create: false }), task);
    } catch (failure) {
      error = failure instanceof Error ? failure.message : String(failure);
    }
    port.postMessage({ id, error } satisfies MergeReply);
  });
});
