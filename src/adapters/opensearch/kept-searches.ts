import { createHash } from "node:crypto";
import type { KeptSearch, KeptSearches, OpenSearch, StorageId } from "../../ports/search-backend.js";
import type { Cluster } from "./cluster.js";
import { ClusterOpenSearch, type OpenSearchAccess } from "./cluster-open-search.js";
import type { Dsl } from "./dsl.js";
import { BEYOND_TIMEOUT_MS } from "./federated-search.js";
import type { OwnedIndices } from "./owned-index.js";
import type { SearchRecord } from "./search-record.js";
import { waitingFor } from "./timed-caller.js";
import { VersionedDocuments } from "./versioned-documents.js";

interface StoredSearch {
  /** `SearchRecord` and the note, as JSON. */
  readonly content: string;
  readonly point: string;
  readonly storages: readonly StorageId[];
  readonly expires_at: number;
}

const DEFINITION = {
  settings: { number_of_shards: 1, auto_expand_replicas: "0-2", "index.refresh_interval": "1s" },
  mappings: {
    dynamic: "strict",
    properties: {
      content: { type: "keyword", index: false, doc_values: false },
      point: { type: "keyword", doc_values: false },
      storages: { type: "keyword", doc_values: false },
      expires_at: { type: "long" },
    },
  },
} as const;

const NOT_FOUND = 404;
/** Read more often than this part of the time that it may be idle, a search isn't noted each time. */
const NOTED_SHARE = 0.1;

/** Open searches in the cluster: whichever process is asked for the next page of one reads it there. */
export class ClusterKeptSearches implements KeptSearches {
  readonly #cluster: Cluster;
  readonly #documents: VersionedDocuments<StoredSearch>;
  readonly #access: OpenSearchAccess;
  readonly idleMs: number;

  private constructor(cluster: Cluster, index: string, access: OpenSearchAccess) {
    this.#cluster = cluster;
    this.#documents = new VersionedDocuments(cluster, index, { refresh: false });
    this.#access = access;
    this.idleMs = access.points.keepAliveMs;
  }

  static async open(
    cluster: Cluster,
    indices: OwnedIndices,
    access: OpenSearchAccess,
  ): Promise<ClusterKeptSearches> {
    const name = indices.nameOf("cursors");
    await indices.ensure(name, DEFINITION);
    return new ClusterKeptSearches(cluster, name, access);
  }

  async keep(
    id: string,
    search: OpenSearch,
    { note, expiresAt }: { readonly note: string; readonly expiresAt: number },
  ): Promise<void> {
    const { record } = search as ClusterOpenSearch;
    if (record === undefined) throw new Error("only searches that the cluster has opened can be kept in it");
    await this.#put(id, { record, note, expiresAt });
    (search as ClusterOpenSearch).keepPoint();
  }

  async find(id: string): Promise<KeptSearch | null> {
    const found = await this.#documents.get(id, waitingFor(this.#timeoutMs, undefined));
    if (found === null) return null;
    const { record, note } = JSON.parse(found.source.content) as { record: SearchRecord; note: string };
    const search = ClusterOpenSearch.resumed(this.#access, record);
    return {
      search,
      note,
      expiresAt: found.source.expires_at,
      read: async (expiresAt) => {
        if (search.record.point !== record.point)
          await this.#put(id, { record: search.record, note, expiresAt });
        else if (expiresAt - found.source.expires_at > NOTED_SHARE * this.idleMs)
          await this.#touch(id, expiresAt);
      },
    };
  }

  async forget(id: string): Promise<void> {
    await this.#cluster.request("DELETE", this.#path(id), {
      accepts: [NOT_FOUND],
      timeoutMs: this.#timeoutMs,
    });
  }

  /** Milliseconds for one request, as they are parts of searches. */
  get #timeoutMs(): number {
    return this.#access.search.timeoutMs + BEYOND_TIMEOUT_MS;
  }

  /** Whether a cursor that somebody may go on with reads a storage. */
  async readStorage(storageId: StorageId): Promise<boolean> {
    await this.#cluster.request("POST", `/${this.#documents.index}/_refresh`);
    return this.#isAny({ term: { storages: storageId } });
  }

  /** Whether a cursor that somebody may go on with names a point in time. */
  async namePoint(point: string): Promise<boolean> {
    return this.#isAny({ term: { point: digestOf(point) } });
  }

  /** Deletes what has expired. */
  async clear(): Promise<void> {
    await this.#cluster.request("POST", `/${this.#documents.index}/_delete_by_query`, {
      query: { conflicts: "proceed" },
      body: { query: { range: { expires_at: { lt: Date.now() } } } },
    });
  }

  async #isAny(filter: Dsl): Promise<boolean> {
    const alive = { range: { expires_at: { gte: Date.now() } } };
    const { body } = await this.#cluster.request<{
      readonly hits: { readonly hits: readonly unknown[] };
    }>("POST", `/${this.#documents.index}/_search`, {
      query: { allow_partial_search_results: false },
      body: { query: { bool: { filter: [filter, alive] } }, size: 1, _source: false },
    });
    return body.hits.hits.length > 0;
  }

  async #put(
    id: string,
    {
      record,
      note,
      expiresAt,
    }: { readonly record: SearchRecord; readonly note: string; readonly expiresAt: number },
  ): Promise<void> {
    const source: StoredSearch = {
      content: JSON.stringify({ record, note }),
      point: digestOf(record.point),
      storages: record.members.map(({ storage }) => storage.storageId),
      expires_at: expiresAt,
    };
    await this.#cluster.request("PUT", this.#path(id), { body: source, timeoutMs: this.#timeoutMs });
  }

  async #touch(id: string, expiresAt: number): Promise<void> {
    await this.#cluster.request("POST", `/${this.#documents.index}/_update/${encodeURIComponent(id)}`, {
      body: { doc: { expires_at: expiresAt } },
      accepts: [NOT_FOUND, 409],
      timeoutMs: this.#timeoutMs,
    });
  }

  #path(id: string): string {
    return `/${this.#documents.index}/_doc/${encodeURIComponent(id)}`;
  }
}

/** Names of points in time grow with the shards that they are of. */
function digestOf(point: string): string {
  return createHash("sha256").update(point).digest("base64url");
}
