import type { CheckedCluster, ClusterProblemKind } from "../cluster-storage.js";
import type { Configuration } from "../config/index.js";
import { CorruptionError, FindlingError } from "../errors/index.js";
import type { Finding } from "./finding.js";
import { formatCounted } from "./terminal/format-amount.js";

const BACK = "put the document back from a snapshot";

/** What servers do meanwhile, and how to mend it. */
const ADVICE: Readonly<Record<ClusterProblemKind, string>> = {
  index: `${BACK}, or delete it to give up the index; servers go on without the index`,
  federation: `${BACK}, or delete it to make the federation anew; servers go on without it`,
  aliases: `${BACK}, or delete it to make the aliases anew; until then names that are no index's get 503, and no index is deleted`,
  keys: `${BACK}, or delete it to give up all stored keys; until then none lets anybody in, and FINDLING_ADMIN_KEY does`,
  "secret-key": `${BACK}, or delete it, so that the next server to start marks the cluster with its key`,
  state:
    "put the index's state and documents back from one snapshot, or delete the index and write it anew; the others go on",
  gone: "put it back from a snapshot with all else under the prefix, or delete what it belongs to and write it anew",
  red: "start the nodes that hold them; GET _cluster/allocation/explain of the cluster says what they lack",
  unnamed:
    "put the catalog's entry back from a snapshot, or delete the state and the index's data from the cluster",
  secret:
    "give the key that it was encrypted with as FINDLING_SECRET_KEY, or set the secret or access key anew",
  "wrong-key": "a server with this configuration doesn't start",
};

const CHECKED: Readonly<Record<ClusterProblemKind, string>> = {
  index: "catalog",
  federation: "catalog",
  aliases: "catalog",
  keys: "catalog",
  "secret-key": "catalog",
  state: "index",
  gone: "index",
  red: "index",
  unnamed: "set aside",
  secret: "secret key",
  "wrong-key": "secret key",
};

/** What the cluster of a configuration holds. Reads only. */
export async function checkCluster(configuration: Configuration): Promise<readonly Finding[]> {
  const { checkClusterStorage } = await import("../cluster-storage.js");
  let checked: CheckedCluster;
  try {
    checked = await checkClusterStorage(configuration);
  } catch (error) {
    if (!(error instanceof FindlingError)) throw error;
    const { message, details } = error;
    const finding = typeof details === "string" ? `${message}: ${details}` : message;
    const standing = error instanceof CorruptionError ? "damage" : "problem";
    const advice = "mend the cluster, or the FINDLING_OPENSEARCH variables; no server starts before it";
    return [{ check: "cluster", standing, finding, advice }];
  }
  const { status, nodes, indexes, problems } = checked;
  const named =
    indexes === null
      ? "no server has stored anything under the prefix yet"
      : `the catalog names ${formatCounted(indexes, "index", "indexes")}`;
  return [
    healthOf(status, nodes),
    ...(problems.some(({ kind }) => CHECKED[kind] === "catalog")
      ? []
      : [{ check: "catalog", standing: "ok", finding: named } as const]),
    ...problems.map(({ kind, problem, isDamage }): Finding => {
      const standing = isDamage ? "damage" : "problem";
      return { check: CHECKED[kind], standing, finding: problem, advice: ADVICE[kind] };
    }),
  ];
}

function healthOf(status: CheckedCluster["status"], nodes: number): Finding {
  const check = "cluster";
  const finding = `${formatCounted(nodes, "node")}, and the prefix's indices are ${status}`;
  if (status === "green") return { check, standing: "ok", finding };
  if (status === "red") {
    const advice = "start the nodes that hold the missing shards, or put them back from a snapshot";
    return { check, standing: "problem", finding, advice };
  }
  const advice =
    "copies of shards are missing, so that a node that dies takes data away; wait until they are made, or start the nodes that are gone";
  return { check, standing: "warning", finding, advice };
}
