import { randomUUID } from "node:crypto";
import type { Servers } from "../../ports/servers.js";
import type { Cluster } from "./cluster.js";
import type { IndexDefinition, OwnedIndices } from "./owned-index.js";

const DEFINITION: IndexDefinition = {
  settings: { number_of_shards: 1, auto_expand_replicas: "0-2", "index.refresh_interval": "1s" },
  mappings: { dynamic: "strict", properties: { until: { type: "long" } } },
};

/** How often a server says that it is there, and looks who else is. */
const BEAT_MS = 2_000;
/** How long it is believed. */
const BELIEVED_MS = 10_000;
/** Servers that are gone are forgotten after so long. */
const FORGOTTEN_MS = 600_000;

/**
 * The servers before the cluster: each says every two seconds that it is there, and counts those that have said so in the
 * last ten. What can't be asked now is as it was.
 */
export class LiveServers implements Servers {
  readonly #cluster: Cluster;
  readonly #index: string;
  readonly #id = randomUUID();
  #count = 1;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(cluster: Cluster, index: string) {
    this.#cluster = cluster;
    this.#index = index;
  }

  static async open(cluster: Cluster, indices: OwnedIndices): Promise<LiveServers> {
    const index = indices.nameOf("servers");
    await indices.ensure(index, DEFINITION);
    const servers = new LiveServers(cluster, index);
    await servers.#beat();
    return servers;
  }

  get count(): number {
    return this.#count;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#beating;
    await this.#cluster
      .request("DELETE", `/${this.#index}/_doc/${this.#id}`, { accepts: [404], timeoutMs: BEAT_MS })
      .catch(() => undefined);
  }

  async #beat(): Promise<void> {
    const now = Date.now();
    try {
      await this.#cluster.request("PUT", `/${this.#index}/_doc/${this.#id}`, {
        body: { until: now + BELIEVED_MS },
        timeoutMs: BEAT_MS,
      });
      const { body } = await this.#cluster.request<{ readonly count: number }>(
        "POST",
        `/${this.#index}/_count`,
        {
          body: {
            query: {
              bool: {
                filter: [{ range: { until: { gt: now } } }],
                must_not: [{ ids: { values: [this.#id] } }],
              },
            },
          },
          timeoutMs: BEAT_MS,
        },
      );
      this.#count = body.count + 1;
      await this.#cluster.request("POST", `/${this.#index}/_delete_by_query`, {
        query: { conflicts: "proceed" },
        body: { query: { range: { until: { lt: now - FORGOTTEN_MS } } } },
        timeoutMs: BEAT_MS,
      });
    } catch {
      // The cluster's own troubles are told elsewhere.
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#beating = this.#beat();
    }, BEAT_MS).unref();
  }
}
