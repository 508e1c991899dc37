/** The parts of a server that keeps everything in an OpenSearch cluster; loaded by those alone. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { SECRET_KEY_FILE } from "./adapters/catalog/secret-key-ring.js";
import { Cluster } from "./adapters/opensearch/cluster.js";
import { ClusterBackend } from "./adapters/opensearch/cluster-backend.js";
import { ClusterCatalog } from "./adapters/opensearch/cluster-catalog.js";
import { LiveServers } from "./adapters/opensearch/live-servers.js";
import { OwnedIndices } from "./adapters/opensearch/owned-index.js";
import type { Configuration } from "./config/index.js";
import { FindlingError } from "./errors/index.js";
import type { StorageHealth } from "./ports/storage-health.js";
import type { Tracing } from "./ports/tracing.js";

export interface ClusterStorage {
  readonly catalog: ClusterCatalog;
  readonly backend: ClusterBackend;
  readonly cluster: Cluster;
  readonly servers: LiveServers;
  readonly health: StorageHealth;
}

/** @throws FindlingError `invalid_configuration`, `storage_unavailable`, `storage_corrupt` */
export async function openClusterStorage(
  configuration: Configuration,
  tracing: Tracing,
  onProblem: (message: string, error?: unknown) => void,
): Promise<ClusterStorage> {
  const { opensearchUrl: urls, dataDir, secretKey } = configuration;
  if (urls === undefined) {
    const problem =
      "FINDLING_BACKEND=opensearch needs FINDLING_OPENSEARCH_URL, such as https://search.example:9200";
    throw new FindlingError("invalid_configuration", problem);
  }
  const cluster = new Cluster({
    urls,
    user: configuration.opensearchUser,
    password: configuration.opensearchPassword,
    ca: await certificates(configuration.opensearchCaFile),
    tracing,
  });
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
