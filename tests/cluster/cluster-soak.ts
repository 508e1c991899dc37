// Two servers before three nodes under mixed load while a node and a server are killed every 30 s, for ten minutes or as
// many seconds as the first argument says. Exits 1 if a commit was lost, a read torn, a rolled-back document seen, an
// error of another kind given, or the service away for more than five seconds. `npm run build && npm run cluster-soak`;
// needs Java 11 to 23 and Maven.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOpenSearchCluster } from "../kit/opensearch-node.js";
import type { Operation } from "./history.js";
import { soak } from "./soak.js";

const NODES = 3;
const BACK_MS = 5_000;

const seconds = Number(process.argv[2] ?? 600);
if (!(seconds >= 1)) throw new RangeError("a soak takes a second at least");
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const onUnexplained = (operations: readonly Operation[]): void => {
  const file = join(mkdtempSync(join(tmpdir(), "findling-history-")), "history.json");
  writeFileSync(file, JSON.stringify(operations));
  say(`a history that no order explains is in '${file}'`);
};
const cluster = await startOpenSearchCluster(NODES);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    cluster.stop();
    process.exit(1);
  });
try {
  const report = await soak(cluster, { seconds, roundSeconds: 30, nodes: NODES, say, onUnexplained });
  for (const [refusal, count] of Object.entries(report.refusals)) say(`${count} × ${refusal}`);
  const slow = report.kills.filter(({ lastFailureMs, backMs }) => Math.max(lastFailureMs, backMs) > BACK_MS);
  for (const { what, lastFailureMs, backMs } of slow)
    say(`SLOW: ${what} killed, back after ${Math.max(lastFailureMs, backMs).toFixed(0)} ms`);
  for (const violation of report.violations) say(`VIOLATION: ${violation}`);
  const { operations, commits, reads, kills, violations } = report;
  say(
    `${operations} operations, ${commits} acknowledged commits, ${reads} reads, ${kills.length} kills: ${violations.length} violations; the service was back within ${Math.max(...kills.map(({ lastFailureMs, backMs }) => Math.max(lastFailureMs, backMs))).toFixed(0)} ms`,
  );
  if (violations.length > 0 || slow.length > 0) process.exitCode = 1;
} finally {
  cluster.stop();
}
