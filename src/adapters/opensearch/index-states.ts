import type { IndexSchema } from "../../contract/index-schema.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { StorageId } from "../../ports/search-backend.js";
import type { Cluster } from "./cluster.js";
import type { OwnedIndices } from "./owned-index.js";
import type { TimedCaller } from "./timed-caller.js";
import { type VersionedDocument, VersionedDocuments } from "./versioned-documents.js";

/** Who may change an index alone, and until when (Unix milliseconds) unless it says so again. */
export interface ExclusiveHold {
  readonly holder: string;
  readonly until: number;
}

/**
 * What is known of an index's storage, in one document that every change compares and sets. Documents are visible where
 * `born ≤ generation < died`; what is written gets `generation + 1`, and is pending until a commit makes that the generation.
 */
export interface IndexState {
  readonly schema: IndexSchema;
  readonly generation: number;
  /** Whether anything may be pending. */
  readonly hasPending: boolean;
  /** Servers that are writing, with the time (Unix milliseconds) until which each may. */
  readonly writers: Readonly<Record<string, number>>;
  readonly hold: ExclusiveHold | null;
  /**
   * Operations that write in more than one step and have begun. Each goes as it ends; those that are left when nobody
   * writes were interrupted, and whoever comes next to be alone undoes them.
   */
  readonly operations: readonly string[];
  /** Whether a rollback has begun: whoever comes next finishes it. */
  readonly isRollingBack: boolean;
  /** When the last generations came, latest last. */
  readonly commits: readonly { readonly generation: number; readonly at: number }[];
  /** Documents that died in a generation up to this one may be gone. */
  readonly purgedTo: number;
  readonly createdAt: number;
  /** Whether the catalog names it, as far as it is known. */
  readonly isKept: boolean;
  /** When it was dropped; its data stays a while for searches that are open. */
  readonly droppedAt: number | null;
  /** Whether a copy is about to take its place: it takes no more writes. */
  readonly isReplaced: boolean;
  /**
   * Whether the cluster's own statistics are those of the live documents once nothing is pending: none has died or been
   * taken back that they still count. Absent in storage whose similarity works out no idf, as of servers before.
   */
  readonly countsLive?: boolean;
}

interface StoredState {
  readonly content: string;
}

export type VersionedState = VersionedDocument<StoredState> & { readonly state: IndexState };

const DEFINITION = {
  settings: { number_of_shards: 1, auto_expand_replicas: "0-2", "index.refresh_interval": "1s" },
  mappings: {
    dynamic: "strict",
    properties: {
      content: { type: "keyword", index: false, doc_values: false },
      nonce: { type: "keyword", index: false, doc_values: false },
    },
  },
} as const;

const CHANGES_MAX = 200;
/** States that are remembered. */
const SEEN_MAX = 1_000;

/** The states of all indexes' storage. */
export class IndexStates {
  readonly #cluster: Cluster;
  readonly #documents: VersionedDocuments<StoredState>;
  /** Schemas by their text, so that what is made of one is made once. */
  readonly #schemas = new Map<string, IndexSchema>();
  /** By storage the state that was read or written last. */
  readonly #lastSeen = new Map<StorageId, IndexState>();
  /** Storage that a start was told of and that isn't there. */
  readonly #lost = new Set<StorageId>();

  private constructor(cluster: Cluster, index: string) {
    this.#cluster = cluster;
    this.#documents = new VersionedDocuments(cluster, index, { refresh: false });
  }

  static async open(cluster: Cluster, indices: OwnedIndices): Promise<IndexStates> {
    const name = indices.nameOf("states");
    await indices.ensure(name, DEFINITION);
    return new IndexStates(cluster, name);
  }

  /** Opens states that are there. */
  static existing(cluster: Cluster, indices: OwnedIndices): IndexStates {
    return new IndexStates(cluster, indices.nameOf("states"));
  }

  noteLost(storageId: StorageId): void {
    this.#lost.add(storageId);
  }

  /** As it is now; null if there is no such storage. */
  async find(storageId: StorageId, caller?: TimedCaller): Promise<VersionedState | null> {
    const document = await this.#documents.get(storageId, caller);
    return document === null ? null : this.#versioned(document);
  }

  /** The states of several as they were seen here last; null unless each has been seen. */
  lastSeen(storageIds: readonly StorageId[]): readonly IndexState[] | null {
    const states = storageIds.flatMap((storageId) => this.#lastSeen.get(storageId) ?? []);
    return states.length === storageIds.length ? states : null;
  }

  /** @throws FindlingError `index_not_found` if it is not there or dropped, `storage_corrupt` if it should be */
  async require(storageId: StorageId, caller?: TimedCaller): Promise<VersionedState> {
    const found = await this.find(storageId, caller);
    if (found !== null && found.state.droppedAt === null) return found;
    throw this.#missing(storageId);
  }

  /** The states of several, read together. @throws as `require` */
  async requireAll(storageIds: readonly StorageId[], caller?: TimedCaller): Promise<readonly IndexState[]> {
    if (storageIds.length === 1) return [(await this.require(storageIds[0]!, caller)).state];
    const { body } = await this.#cluster.request<{
      readonly docs: readonly { readonly found?: boolean; readonly _source?: StoredState }[];
    }>("POST", `/${this.#documents.index}/_mget`, {
      query: { realtime: true, preference: "_primary" },
      body: { ids: storageIds },
      caller,
    });
    return body.docs.map(({ found, _source: source }, i) => {
      const state = found === true ? this.#stateOf(storageIds[i]!, source!) : null;
      if (state === null || state.droppedAt !== null) throw this.#missing(storageIds[i]!);
      this.#see(storageIds[i]!, state);
      return state;
    });
  }

  async create(storageId: StorageId, state: IndexState): Promise<void> {
    const outcome = await this.#documents.compareAndSet(storageId, { content: JSON.stringify(state) }, null);
    if (!outcome.isWritten) throw new Error(`storage '${storageId}' is there already`);
  }

  /**
   * Changes a state by compare-and-set, again until nobody has come between.
   *
   * @param from what it was last seen as, which saves a request where it still is; absent: it is read
   * @param change gives the state itself where nothing is to be changed; may throw
   * @throws as `require`
   */
  async change(
    storageId: StorageId,
    change: (state: IndexState) => IndexState,
    from?: VersionedState,
  ): Promise<VersionedState> {
    let present = from ?? (await this.require(storageId));
    for (let i = 0; i < CHANGES_MAX; i++) {
      const next = change(present.state);
      if (next === present.state) return present;
      const outcome = await this.#documents.compareAndSet(
        storageId,
        { content: JSON.stringify(next) },
        present,
      );
      if (outcome.isWritten) return this.#versioned(outcome.document);
      if (outcome.present === null) throw this.#missing(storageId);
      present = this.#versioned(outcome.present);
      if (present.state.droppedAt !== null) throw this.#missing(storageId);
    }
    throw new FindlingError("rate_limited", "too many servers change the index at once; try again later", {
      retryAfterSeconds: 1,
    });
  }

  /**
   * Every state that can be read, by storage, some of which may have changed within a second.
   *
   * @param onDamage told of each of the others
   */
  async all(
    onDamage: (storageId: StorageId, error: CorruptionError) => void = () => undefined,
  ): Promise<ReadonlyMap<StorageId, IndexState>> {
    const states = new Map<StorageId, IndexState>();
    let after: readonly unknown[] | undefined;
    for (;;) {
      const { body } = await this.#cluster.request<{
        readonly hits: {
          readonly hits: readonly {
            readonly _id: string;
            readonly _source: StoredState;
            readonly sort: readonly unknown[];
          }[];
        };
      }>("POST", `/${this.#documents.index}/_search`, {
        query: { allow_partial_search_results: false },
        body: { sort: [{ _seq_no: "asc" }], size: 500, ...(after !== undefined && { search_after: after }) },
      });
      const { hits } = body.hits;
      for (const { _id: id, _source: source } of hits) {
        try {
          states.set(id, this.#stateOf(id, source));
        } catch (error) {
          if (!(error instanceof CorruptionError)) throw error;
          onDamage(id, error);
        }
      }
      if (hits.length < 500) return states;
      after = hits.at(-1)!.sort;
    }
  }

  async delete(storageId: StorageId): Promise<void> {
    this.#lastSeen.delete(storageId);
    await this.#cluster.request("DELETE", `/${this.#documents.index}/_doc/${encodeURIComponent(storageId)}`, {
      accepts: [404],
    });
  }

  #versioned(document: VersionedDocument<StoredState>): VersionedState {
    const state = this.#stateOf(document.id, document.source);
    this.#see(document.id, state);
    return { ...document, state };
  }

  #see(storageId: StorageId, state: IndexState): void {
    if (this.#lastSeen.size >= SEEN_MAX) this.#lastSeen.clear();
    this.#lastSeen.set(storageId, state);
  }

  /** @throws CorruptionError */
  #stateOf(storageId: StorageId, { content }: StoredState): IndexState {
    const state = parsedState(content);
    if (state === null) {
      const file = `${this.#documents.index}/_doc/${storageId}`;
      throw new CorruptionError(file, "it doesn't hold the state of an index");
    }
    const text = JSON.stringify(state.schema);
    const known = this.#schemas.get(text);
    if (known !== undefined) return { ...state, schema: known };
    if (this.#schemas.size >= 1_000) this.#schemas.clear();
    this.#schemas.set(text, state.schema);
    return state;
  }

  #missing(storageId: StorageId): FindlingError {
    this.#lastSeen.delete(storageId);
    return this.#lost.has(storageId)
      ? new FindlingError("storage_corrupt", `storage '${storageId}' is gone from the OpenSearch cluster`)
      : new FindlingError("index_not_found", `there is no storage '${storageId}'`);
  }
}

/** Null for what is no state. */
function parsedState(content: unknown): IndexState | null {
  try {
    const state = JSON.parse(String(content)) as Partial<IndexState> | null;
    const isState =
      typeof state?.schema === "object" &&
      state.schema !== null &&
      Number.isSafeInteger(state.generation) &&
      typeof state.writers === "object" &&
      Array.isArray(state.operations) &&
      Array.isArray(state.commits);
    return isState ? (state as IndexState) : null;
  } catch {
    return null;
  }
}
