// Loaded into a server under test: each of its threads tells that it is there, and at SIGUSR2 what it holds once all
// garbage is collected.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { BroadcastChannel, isMainThread, threadId } from "node:worker_threads";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

function report() {
  for (let i = 0; i < 3; i++) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`\nHEAP ${threadId} ${heapUsed + external}\n`);
}

const channel = new BroadcastChannel("report-heap");
channel.unref();
channel.onmessage = report;
process.stderr.write(`\nTHREAD ${threadId}\n`);
if (isMainThread) {
  process.on("SIGUSR2", () => {
    report();
    channel.postMessage(null);
  });
}
