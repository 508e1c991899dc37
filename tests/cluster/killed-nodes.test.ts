/** Two servers before three nodes, of which one of each is killed under mixed load (`soak.ts`); the long one is a command. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type OpenSearchCluster,
  openSearchHindrance,
  startOpenSearchCluster,
} from "../kit/opensearch-node.js";
import { soak } from "./soak.js";

const NODES = 3;
const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "on three nodes" : `skipped: ${hindrance}`;

describe.skipIf(hindrance !== undefined)(title, () => {
  let cluster: OpenSearchCluster;

  beforeAll(async () => {
    cluster = await startOpenSearchCluster(NODES);
  });
  afterAll(() => cluster?.stop());

  test("no commit is lost, no read torn and nothing comes back from a rollback when a node and a server are killed", async () => {
    const said: string[] = [];
    const report = await soak(cluster, {
      seconds: 1,
      roundSeconds: 25,
      nodes: NODES,
      say: (line) => said.push(line),
    });
    expect(report.violations, said.join("\n")).toEqual([]);
    expect(report.decided, said.join("\n")).toBeGreaterThan(0);
    expect(report.kills).toHaveLength(2);
    expect(report.commits).toBeGreaterThan(0);
    expect(report.reads).toBeGreaterThan(0);
  });
});
