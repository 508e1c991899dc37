/** The thread that writes; see `ThreadIndexHost`. */
import { parentPort, workerData } from "node:worker_threads";
import {
  forgetSpareMemory,
  keepFewBlocks,
  keepShapes,
  keepWritingShapes,
  limitSpareMemory,
} from "../../../engine/index.js";
import { intakeShapes } from "../../../intake/intake-shapes.js";
import { AT_ONCE, BufferGarbage, garbageBytesMax, IN_STEPS, pooledBytesMax } from "../buffer-garbage.js";
import { InPlaceMergeRunner } from "../in-place-merge-runner.js";
import { lowerThreadPriority, THREAD_NICENESS } from "../lower-thread-priority.js";
import { MergeGarbage } from "../merge-garbage.js";
import { WorkerMergeRunner } from "../worker-merge-runner.js";
import { LocalIndexHost } from "./local-index-host.js";
import { toPlainError } from "./plain-error.js";
import { ThreadRest } from "./thread-rest.js";
import type { FromWritingThread, ToWritingThread, WritingThreadData } from "./writing-protocol.js";
import { WritingService } from "./writing-service.js";

const port = parentPort;
if (port === null) throw new Error("writing-thread runs as a worker thread only");
lowerThreadPriority(THREAD_NICENESS.writing);
keepFewBlocks();
keepShapes(...intakeShapes());
// They save time only; whatever keeps them from coming to be is told by what is written.
void keepWritingShapes().catch(() => undefined);

/** Of the memory that this thread has, three quarters of the budget: a thread that merges takes 40 MB more (ADR 24). */
const MERGE_THREAD_FROM = 72 << 20;
/** Of that memory, what is kept for the next segments. */
const SPARE_PART = 6;

const post = (message: FromWritingThread): void => port.postMessage(message);
const { pendingBytesMax } = workerData as WritingThreadData;
const garbageMax = garbageBytesMax(pendingBytesMax);
limitSpareMemory(pendingBytesMax / SPARE_PART);
const hasMergeThread = pendingBytesMax >= MERGE_THREAD_FROM;
const garbage = new BufferGarbage(garbageMax, hasMergeThread ? IN_STEPS : AT_ONCE);
const mergeGarbage = new MergeGarbage(garbage, (): number => host.pendingBytes);
const host: LocalIndexHost = new LocalIndexHost({
  pendingBytesMax: pendingBytesMax - garbageMax - pooledBytesMax(pendingBytesMax),
  merges: hasMergeThread ? new WorkerMergeRunner() : new InPlaceMergeRunner(mergeGarbage),
  onProblem: (message, error) => post({ kind: "problem", message, error: toPlainError(error) }),
});
const rest = new ThreadRest(() => {
  forgetSpareMemory();
  garbage.collect(host.pendingBytes);
});
const service = new WritingService(host, post, () => {
  garbage.collectIfMuch(host.pendingBytes);
  rest.end();
});
port.on("message", (message: ToWritingThread) => {
  if (message.kind === "call") rest.begin();
  service.receive(message);
});
