/** The parts of a server that keeps everything in an OpenSearch cluster; loaded by those alone. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { SECRET_KEY_FILE, SecretKeyRing } from "./adapters/catalog/secret-key-ring.js";
import { type CheckedCluster, checkCluster } from "./adapters/opensearch/check-cluster.js";
import { Cluster, type ClusterOptions } from "./adapters/opensearch/cluster.js";
import { ClusterBackend } from "./adapters/opensearch/cluster-backend.js";
import { ClusterCatalog } from "./adapters/opensearch/cluster-catalog.js";
import { LiveServers } from "./adapters/opensearch/live-servers.js";
import { OwnedIndices } from "./adapters/opensearch/owned-index.js";
import type { Configuration } from "./config/index.js";
import { FindlingError } from "./errors/index.js";
import type { StorageHealth } from "./ports/storage-health.js";
import { NO_TRACING, type Tracing } from "./ports/tracing.js";

export type { CheckedCluster, ClusterProblemKind } from "./adapters/opensearch/check-cluster.js";

export interface ClusterStorage {
  readonly catalog: ClusterCatalog;
  readonly backend: ClusterBackend;
  readonly cluster: Cluster;
  readonly servers: LiveServers;
  readonly health: StorageHealth;
}

/** Milliseconds for a request of a check. */
const CHECK_TIMEOUT_MS = 10_000;

/** @throws FindlingError `invalid_configuration`, `storage_unavailable`, `storage_corrupt` */
export async function openClusterStorage(
  configuration: Configuration,
  tracing: Tracing,
  onProblem: (message: string, error?: unknown) => void,
): Promise<ClusterStorage> {
  const { dataDir, secretKey } = configuration;
  const cluster = await clusterOf(configuration, { tracing });
  try {
    // For a key that is made, and for usage events that wait.
    await mkdir(dataDir, { recursive: true });
    const indices = new OwnedIndices(cluster, configuration.opensearchPrefix);
    const backend = await ClusterBackend.open(cluster, indices, {
      searchTimeoutMs: configuration.searchTimeoutMs,
      shards: { shards: configuration.opensearchShards, replicas: configuration.opensearchReplicas },
      openSearchIdleMs: (configuration.cursorIdleSeconds + 60) * 1000,
      onProblem,
    });
    const servers = await LiveServers.open(cluster, indices);
    const catalog = await ClusterCatalog.open(cluster, indices, {
      keyFile: join(dataDir, SECRET_KEY_FILE),
      configuredKey: secretKey,
      onProblem,
      async onClosed() {
        await servers.close();
        await cluster.close();
      },
    });
    backend.keepUnnamedWhile(() => catalog.damaged().length > 0);
    const health: StorageHealth = {
      get problem() {
        return cluster.problem;
      },
      get damage() {
        return catalog.damaged().map(({ holder }) => holder);
      },
    };
    return { backend, catalog, cluster, servers, health };
  } catch (error) {
    await cluster.close();
    throw error;
  }
}

/**
 * What of the storage needs somebody, as the cluster answers soon. Reads only.
 *
 * @throws FindlingError `invalid_configuration`, `storage_unavailable`; `storage_corrupt` if the folder's secret key is damaged
 */
export async function checkClusterStorage(configuration: Configuration): Promise<CheckedCluster> {
  const keys = await SecretKeyRing.open({
    keyFile: join(configuration.dataDir, SECRET_KEY_FILE),
    configuredKey: configuration.secretKey,
  });
  const cluster = await clusterOf(configuration, { requestTimeoutMs: CHECK_TIMEOUT_MS, tracing: NO_TRACING });
  try {
    return await checkCluster(cluster, new OwnedIndices(cluster, configuration.opensearchPrefix), keys);
  } finally {
    await cluster.close();
  }
}

/** @throws FindlingError `invalid_configuration` */
async function clusterOf(
  configuration: Configuration,
  options: Pick<ClusterOptions, "requestTimeoutMs" | "tracing">,
): Promise<Cluster> {
  const { opensearchUrl: urls } = configuration;
  if (urls === undefined) {
    const problem =
      "FINDLING_BACKEND=opensearch needs FINDLING_OPENSEARCH_URL, such as https://search.example:9200";
    throw new FindlingError("invalid_configuration", problem);
  }
  return new Cluster({
    urls,
    user: configuration.opensearchUser,
    password: configuration.opensearchPassword,
    ca: await certificates(configuration.opensearchCaFile),
    ...options,
  });
}

async function certificates(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new FindlingError(
      "invalid_configuration",
      `FINDLING_OPENSEARCH_CA_FILE '${file}' can't be read (${code ?? "unknown reason"}); name a file of certificates in PEM`,
      { cause: error },
    );
  }
}
