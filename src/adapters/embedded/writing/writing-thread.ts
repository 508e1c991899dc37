/** The thread that writes; see `ThreadIndexHost`. */
import { parentPort, workerData } from "node:worker_threads";
import {
  forgetSpareMemory,
  keepFewBlocks,
  keepShapes,
  keepWritingShapes,
  limitSpareMemory,
} from "../../../engine/server-door.js";
import { intakeShapes } from "../../../intake/intake-shapes.js";
import { BufferGarbage } from "../buffer-garbage.js";
import { InPlaceMergeRunner } from "../in-place-merge-runner.js";
import { lowerThreadPriority, THREAD_NICENESS } from "../lower-thread-priority.js";
import { MergeGarbage } from "../merge-garbage.js";
import { WorkerMergeRunner } from "../worker-merge-runner.js";
import { LocalIndexHost } from "./local-index-host.js";
import { toPlainError } from "./plain-error.js";
import { divideMemory } from "./thread-memory.js";
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

const post = (message: FromWritingThread): void => port.postMessage(message);
const memory = divideMemory((workerData as WritingThreadData).pendingBytesMax);
limitSpareMemory(memory.spareBytesMax);
const garbage = new BufferGarbage(memory.garbageBytesMax, memory.collector);
const mergeGarbage = new MergeGarbage(garbage, (): number => host.pendingBytes);
const host: LocalIndexHost = new LocalIndexHost({
  pendingBytesMax: memory.pendingBytesMax,
  merges: memory.hasMergeThread ? new WorkerMergeRunner() : new InPlaceMergeRunner(mergeGarbage),
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
