import type { Cluster } from "./cluster.js";
import type { OpenSearchAccess } from "./cluster-open-search.js";
import { KeptCounts } from "./collection.js";
import { BEYOND_TIMEOUT_MS } from "./federated-search.js";
import { IndexStates } from "./index-states.js";
import { ClusterKeptSearches } from "./kept-searches.js";
import type { OwnedIndices } from "./owned-index.js";
import { PointsInTime } from "./points-in-time.js";

const SEARCH_TIMEOUT_MS = 5_000;
const OPEN_SEARCH_IDLE_MS = 360_000;

/** What a back end on a cluster stands on. */
export interface ClusterParts {
  readonly states: IndexStates;
  readonly openSearches: OpenSearchAccess;
  readonly keptSearches: ClusterKeptSearches;
}

/**
 * @param options milliseconds that a search may take, and that an open search which nobody reads can be gone on with
 * @throws FindlingError `invalid_configuration` if the prefix is somebody else's; `storage_unavailable`
 */
export async function openClusterParts(
  cluster: Cluster,
  indices: OwnedIndices,
  options: { readonly searchTimeoutMs?: number; readonly openSearchIdleMs?: number },
): Promise<ClusterParts> {
  const { searchTimeoutMs = SEARCH_TIMEOUT_MS, openSearchIdleMs = OPEN_SEARCH_IDLE_MS } = options;
  const states = await IndexStates.open(cluster, indices);
  const openSearches: OpenSearchAccess = {
    search: { cluster, kept: new KeptCounts(), timeoutMs: searchTimeoutMs },
    points: new PointsInTime(cluster, {
      keepAliveMs: openSearchIdleMs,
      timeoutMs: searchTimeoutMs + BEYOND_TIMEOUT_MS,
    }),
    isPurged: async ({ storageId, generation }, caller) => {
      const found = await states.find(storageId, caller);
      return found === null || found.state.purgedTo > generation;
    },
  };
  return {
    states,
    openSearches,
    keptSearches: await ClusterKeptSearches.open(cluster, indices, openSearches),
  };
}
