/** The thread that merges: opens the folder without its lock, reads immutable segments, writes new ones. */
import { parentPort } from "node:worker_threads";
import { FileDirectory, runMerge } from "../../engine/index.js";
import { BufferGarbage } from "./buffer-garbage.js";
import { lowerThreadPriority, THREAD_NICENESS } from "./lower-thread-priority.js";
import type { MergeReply, MergeRequest } from "./worker-merge-runner.js";

const port = parentPort;
if (port === null) throw new Error("merge-worker runs as a worker thread only");
lowerThreadPriority(THREAD_NICENESS.merging);

const garbage = new BufferGarbage();
/** A merge drops tens of megabytes on its way, between which it lets the event loop turn. */
const LOOK_MS = 100;
let merges = 0;
let looking: NodeJS.Timeout | undefined;

// Merges under way take turns; whoever asks for them sees to it that they are few.
port.on("message", ({ id, path, task }: MergeRequest) => {
  const reply = (message: MergeReply): void => port.postMessage(message);
  if (merges++ === 0) looking = setInterval(() => garbage.collectIfMuch(0), LOOK_MS);
  void FileDirectory.open(path, { create: false })
    .then((directory) => runMerge(directory, task))
    .then(
      (merged) => reply({ id, merged }),
      (failure: unknown) =>
        reply({ id, error: failure instanceof Error ? failure.message : String(failure) }),
    )
    .then(() => {
      if (--merges === 0) clearInterval(looking);
      garbage.collectIfMuch(0);
    });
});
