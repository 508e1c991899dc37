/** The thread that merges: opens the folder without its lock, reads immutable segments, writes new ones. */
import { parentPort } from "node:worker_threads";
import { FileDirectory, keepFewBlocks, keepWritingShapes, runMerge } from "../../engine/server-door.js";
import { BufferGarbage } from "./buffer-garbage.js";
import { lowerThreadPriority, THREAD_NICENESS } from "./lower-thread-priority.js";
import { MergeGarbage } from "./merge-garbage.js";
import type { MergeReply, MergeRequest } from "./worker-merge-runner.js";

const port = parentPort;
if (port === null) throw new Error("merge-worker runs as a worker thread only");
lowerThreadPriority(THREAD_NICENESS.merging);
keepFewBlocks();
// They save time only.
void keepWritingShapes().catch(() => undefined);

const garbage = new MergeGarbage(new BufferGarbage(), () => 0);

// Merges under way take turns; whoever asks for them sees to it that they are few.
port.on("message", ({ id, path, task }: MergeRequest) => {
  const reply = (message: MergeReply): void => port.postMessage(message);
  void garbage.during(() =>
    runMerge(FileDirectory.of(path), task).then(
      (merged) => reply({ id, merged }),
      (failure: unknown) =>
        reply({ id, error: failure instanceof Error ? failure.message : String(failure) }),
    ),
  );
});
