/** The thread that writes; see `ThreadIndexHost`. */
import { parentPort, workerData } from "node:worker_threads";
import { forgetSpareMemory, keepFewBlocks, keepShapes, keepWritingShapes } from "../../../engine/index.js";
import { intakeShapes } from "../../../intake/intake-shapes.js";
import { BufferGarbage, garbageBytesMax, pooledBytesMax } from "../buffer-garbage.js";
import { lowerThreadPriority, THREAD_NICENESS } from "../lower-thread-priority.js";
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

const post = (message: FromWritingThread): void => port.postMessage(message);
const { pendingBytesMax } = workerData as WritingThreadData;
const garbageMax = garbageBytesMax(pendingBytesMax);
const host = new LocalIndexHost({
  pendingBytesMax: pendingBytesMax - garbageMax - pooledBytesMax(pendingBytesMax),
  onProblem: (message, error) => post({ kind: "problem", message, error: toPlainError(error) }),
});
const garbage = new BufferGarbage(garbageMax);
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
