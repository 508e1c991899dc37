import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Times ten seconds that a cluster has to become green once its nodes are back. */
const REVIVAL_TRIES = 60;

/** What starts real nodes from packages of Maven Central, for tests and benchmarks alike. */
const SCRIPTS = join(import.meta.dirname, "../../bench/native/opensearch");

export interface OpenSearchNode {
  readonly urls: readonly string[];
  stop(): void;
}

/** A cluster whose nodes can be killed. */
export interface OpenSearchCluster extends OpenSearchNode {
  /** `kill -9`. @param number from 0 */
  kill(number: number): void;
  /** Starts the nodes that are dead on their data and ports; resolves once the cluster is green. */
  revive(): Promise<void>;
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

/**
 * A cluster of its own, or the one that FINDLING_TEST_OPENSEARCH_URL names. It has one node, or as many as
 * FINDLING_TEST_OPENSEARCH_NODES says.
 */
export async function startOpenSearch(): Promise<OpenSearchNode> {
  const running = runningNode();
  if (running !== undefined) return { urls: running.split(","), stop() {} };
  return startOpenSearchCluster(Number(process.env["FINDLING_TEST_OPENSEARCH_NODES"] ?? 1));
}

/** A cluster of its own. */
export async function startOpenSearchCluster(nodes: number): Promise<OpenSearchCluster> {
  const folder = mkdtempSync(join(tmpdir(), "findling-opensearch-"));
  // The nodes' own user has to reach it.
  execFileSync("chmod", ["755", folder]);
  const stop = (): void => {
    execFileSync("bash", [join(SCRIPTS, "stop-cluster.sh"), folder], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async (status = nodes === 1 ? "yellow" : "green"): Promise<readonly string[]> => {
    const started = await promisify(execFile)(
      "bash",
      [join(SCRIPTS, "start-cluster.sh"), String(nodes), folder],
      {
        env: {
          ...process.env,
          OS_HEAP: nodes === 1 ? "512m" : "384m",
          OS_PORT: String(portOf(process.pid)),
          OS_START_SECS: "300",
          OS_WAIT_STATUS: status,
        },
      },
    );
    return started.stdout.trim().split("\n");
  };
  try {
    const urls = await start();
    return {
      urls,
      stop,
      kill(number) {
        process.kill(Number(readFileSync(join(folder, `node${number + 1}`, "pid"), "utf8")), "SIGKILL");
      },
      async revive() {
        await start("yellow");
        // A copy that couldn't be made five times, as on a busy machine, isn't tried again by itself.
        for (let i = 0; i < REVIVAL_TRIES; i++) {
          await fetch(`${urls[0]}/_cluster/reroute?retry_failed=true`, { method: "POST" });
          const wanted = `wait_for_nodes=${nodes}&wait_for_status=green&timeout=10s`;
          if ((await fetch(`${urls[0]}/_cluster/health?${wanted}`)).ok) return;
        }
        throw new Error("the cluster doesn't become green");
      },
    };
  } catch (error) {
    stop();
    throw error;
  }
}

/**
 * Where the script begins to look for free ports: apart for processes that start at once, and below those that the system
 * gives to connections (from 32,768 on), of which one could be taken while a node starts.
 */
function portOf(pid: number): number {
  return 20_000 + (pid % 600) * 20;
}
