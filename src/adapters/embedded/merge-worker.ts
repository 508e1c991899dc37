/** The thread that merges: opens the folder without its lock, reads immutable segments, writes new ones. */
import { parentPort } from "node:worker_threads";
import { FileDirectory, keepFewBlocks, keepWritingShapes, runMerge } from "../../engine/index.js";
import { BufferGarbage } from "./buffer-garbage.js";
import { lowerThreadPriority, THREAD_NICENESS } from "./lower-thread-priority.js";
import type { MergeReply, MergeRequest } from "./worker-merge-runner.js";

const port = parentPort;
if (port === null) throw new Error("merge-worker runs as a worker thread only");
lowerThreadPriority(THREAD_NICENESS.merging);
keepFewBlocks();
// They save time only.
void keepWritingShapes().catch(() => undefined);

const garbage = new BufferGarbage();
/** A merge drops tens of megabytes on its way, between which it lets the event loop turn. */
const LOOK_MS = 100;
/** After so long without one, what it still knows of segments that are no more is forgotten: idle threads collect nothing. */
const IDLE_MS = 1000;
let merges = 0;
let looking: NodeJS.Timeout | undefined;
let idle: NodeJS.Timeout | undefined;

// Merges under way take turns; whoever asks for them sees to it that they are few.
port.on("message", ({ id, path, task }: MergeRequest) => {
  const reply = (message: MergeReply): void => port.postMessage(message);
  clearTimeout(idle);
  if (merges++ === 0) looking = setInterval(() => garbage.collectIfMuch(0), LOOK_MS);
  void FileDirectory.open(path, { create: false })
    .then((directory) => runMerge(directory, task))
    .then(
      (merged) => reply({ id, merged }),
      (failure: unknown) =>
        reply({ id, error: failure instanceof Error ? failure.message : String(failure) }),
    )
    .then(() => {
      garbage.collectIfMuch(0);
      if (--merges > 0) return;
      clearInterval(looking);
      idle = setTimeout(() => garbage.collect(0), IDLE_MS);
    });
});
