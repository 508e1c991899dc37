import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** What starts real nodes from packages of Maven Central, for tests and benchmarks alike. */
const SCRIPTS = join(import.meta.dirname, "../../bench/native/opensearch");

export interface OpenSearchNode {
  readonly urls: readonly string[];
  stop(): void;
}

/** Why no node can be started on this machine; undefined where one can. With FINDLING_TEST_ALL=1 one must. */
export function openSearchHindrance(): string | undefined {
  if (process.env["FINDLING_TEST_ALL"] === "1" || runningNode() !== undefined) return undefined;
  for (const [program, flag] of [
    ["java", "-version"],
    ["mvn", "--version"],
    ["flock", "--version"],
  ] as const) {
    if (spawnSync(program, [flag]).status !== 0) return `there is no ${program}`;
  }
  return undefined;
}

/** A node that somebody has started for several runs of tests; they leave it running. */
function runningNode(): string | undefined {
  return process.env["FINDLING_TEST_OPENSEARCH_URL"];
}

/** A cluster of its own, or the one that FINDLING_TEST_OPENSEARCH_URL names. */
export async function startOpenSearch(nodes = 1): Promise<OpenSearchNode> {
  const running = runningNode();
  if (running !== undefined) return { urls: [running], stop() {} };
  const folder = mkdtempSync(join(tmpdir(), "findling-opensearch-"));
  // The nodes' own user has to reach it.
  execFileSync("chmod", ["755", folder]);
  const stop = (): void => {
    execFileSync("bash", [join(SCRIPTS, "stop-cluster.sh"), folder], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const started = await promisify(execFile)(
      "bash",
      [join(SCRIPTS, "start-cluster.sh"), String(nodes), folder],
      { env: { ...process.env, OS_HEAP: "512m", OS_PORT: String(portOf(process.pid)) } },
    );
    return { urls: started.stdout.trim().split("\n"), stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** Where the script begins to look for free ports: apart for processes that start at once. */
function portOf(pid: number): number {
  return 20_000 + (pid % 1_000) * 20;
}
