import { setTimeout as wait } from "node:timers/promises";
import type { OpenSearchCluster } from "../kit/opensearch-node.js";
import { checkHistory } from "./check-history.js";
import type { Operation } from "./history.js";
import { type Failure, MixedLoad } from "./mixed-load.js";
import { ServerProcess } from "./server-process.js";

export interface SoakOptions {
  readonly seconds: number;
  /** Seconds of a round, in which one node and one server are killed. */
  readonly roundSeconds: number;
  readonly nodes: number;
  readonly say: (line: string) => void;
  /** Gets the histories that no order explains. */
  readonly onUnexplained?: (operations: readonly Operation[]) => void;
}

/** A kill, and how long the service took. */
export interface Kill {
  readonly what: string;
  readonly at: number;
  /** Milliseconds from the kill to the last call that failed of it, other than by its connection to a killed server. */
  readonly lastFailureMs: number;
  /** Milliseconds from the kill until calls of every kind that began after it had succeeded. */
  readonly backMs: number;
}

export interface SoakReport {
  readonly kills: readonly Kill[];
  /** What broke a promise, in words; empty if all is well. */
  readonly violations: readonly string[];
  /** Histories that were checked to the end, and those for which that would have taken too long. */
  readonly decided: number;
  readonly undecided: number;
  readonly operations: number;
  /** Commits that were acknowledged. */
  readonly commits: number;
  readonly reads: number;
  /** How often each answer that there may be was given instead. */
  readonly refusals: Readonly<Record<string, number>>;
}

const INDEXES = 2;
const CLIENTS_PER_INDEX = 4;
/** How long a killed node or server stays away. */
const ABSENCE_MS = 6_000;
const KINDS = ["read", "write", "commit"] as const;

/**
 * Two servers before a cluster under mixed load, round by round, of which each kills one node, once the cluster is green,
 * and one server. Every index's history is checked at the end of its round.
 */
export async function soak(cluster: OpenSearchCluster, options: SoakOptions): Promise<SoakReport> {
  const { seconds, roundSeconds, nodes, say } = options;
  const kills: Kill[] = [];
  const violations: string[] = [];
  const refusals: Record<string, number> = {};
  let decided = 0;
  let undecided = 0;
  let operations = 0;
  let commits = 0;
  let reads = 0;
  const environment = { FINDLING_OPENSEARCH_SHARDS: "3", FINDLING_OPENSEARCH_REPLICAS: "1" };
  const servers: ServerProcess[] = [];
  try {
    for (let i = 0; i < 2; i++) servers.push(await ServerProcess.start(cluster.urls, environment));
    const endsAt = performance.now() + seconds * 1_000;
    for (let round = 0; performance.now() < endsAt; round++) {
      const loads = Array.from({ length: INDEXES }, (_, i) => new MixedLoad(servers, `ledger-${round}-${i}`));
      for (const load of loads) await load.prepare();
      for (const load of loads) load.start(CLIENTS_PER_INDEX);
      const roundEndsAt = performance.now() + roundSeconds * 1_000;
      await wait(roundSeconds * 100);
      const moments: { readonly what: string; readonly at: number }[] = [];
      const killedNode = round % nodes;
      moments.push({ what: `node ${killedNode + 1}`, at: performance.now() });
      cluster.kill(killedNode);
      const nodeBack = wait(ABSENCE_MS).then(() => cluster.revive());
      // What fails is told at the end of the round.
      nodeBack.catch(() => undefined);
      await wait(roundSeconds * 400);
      const server = servers[round % servers.length]!;
      moments.push({ what: `server ${(round % servers.length) + 1}`, at: performance.now() });
      await server.kill();
      await wait(Math.min(ABSENCE_MS, roundSeconds * 200));
      await server.revive();
      await wait(Math.max(0, roundEndsAt - performance.now()));
      await nodeBack;
      for (const load of loads) await load.finish();
      const failures = loads.flatMap((load) => load.failures);
      const successes = loads.flatMap((load) => load.successes);
      for (const [i, { what, at }] of moments.entries()) {
        const until = moments[i + 1]?.at ?? Infinity;
        kills.push({
          what,
          at,
          lastFailureMs: Math.max(0, ...failures.flatMap((each) => fallsTo(each, at, until))),
          backMs: Math.max(
            ...KINDS.map((kind) => {
              const after = successes.filter((each) => each.kind === kind && each.invoked > at);
              return Math.min(...after.map(({ returned }) => returned - at));
            }),
          ),
        });
        const kill = kills.at(-1)!;
        say(
          `round ${round + 1}: ${kill.what} killed; last failure after ${kill.lastFailureMs.toFixed(0)} ms, all kinds of calls back after ${kill.backMs.toFixed(0)} ms`,
        );
      }
      for (const failure of failures) {
        const label = failure.isOfAbsentServer ? "connection to a killed server" : failure.what.slice(0, 160);
        refusals[label] = (refusals[label] ?? 0) + 1;
        if (!failure.isAllowed) violations.push(`${failure.kind}: ${failure.what}`);
      }
      for (const [i, load] of loads.entries()) {
        const verdict = checkHistory(load.operations);
        if (verdict.isLinearizable === null) {
          undecided++;
          say(`round ${round + 1}, index ${i}: ${verdict.problem}`);
        } else decided++;
        if (verdict.isLinearizable === false) {
          options.onUnexplained?.(load.operations);
          violations.push(`round ${round + 1}, index ${i}: ${verdict.problem}`);
        }
        operations += load.operations.length;
        commits += load.operations.filter(
          ({ kind, returned }) => kind === "commit" && returned !== null,
        ).length;
        reads += load.operations.filter(({ kind }) => kind === "read").length;
      }
      say(
        `round ${round + 1}: ${successes.length} calls done, ${failures.length} failed, ${violations.length} violations so far`,
      );
    }
  } finally {
    for (const server of servers) await server.stop();
  }
  return { kills, violations, decided, undecided, operations, commits, reads, refusals };
}

function fallsTo({ at, isOfAbsentServer }: Failure, from: number, until: number): readonly number[] {
  return !isOfAbsentServer && at >= from && at < until ? [at - from] : [];
}
