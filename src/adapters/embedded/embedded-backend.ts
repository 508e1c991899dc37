import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CanonicalDocument } from "../../contract/canonical-value.js";
import type { IndexSchema } from "../../contract/index-schema.js";
import { FileDirectory, type HeldSearcher, type Index, type Searcher } from "../../engine/index.js";
import { FindlingError } from "../../errors/index.js";
import type { IndexRewrite } from "../../ports/index-rewrite.js";
import type {
  BackendSearchResult,
  FederatedSearchResult,
  FederationMember,
  OpenSearch,
  SearchBackend,
  StorageId,
} from "../../ports/search-backend.js";
import type { QueryAst } from "../../query/query-ast.js";
import type { SearchPlan } from "../../query/search-plan.js";
import { BoundSearch } from "./bound-search.js";
import { EmbeddedIndex } from "./embedded-index.js";
import { lowerQuery } from "./lower-query.js";
import { OpenedSearch } from "./opened-search.js";
import { searchFederation } from "./search-federation.js";
import { searchIndex } from "./search-index.js";
import { toEngineSchema } from "./to-engine-schema.js";
import { WorkerMergeRunner } from "./worker-merge-runner.js";

export interface EmbeddedBackendOptions {
  /** Folder of the server's data; indexes are in `indexes/<storage id>`. */
  readonly dataDirectory: string;
  /** Memory for pending documents, per index. Default 32 MiB. */
  readonly memoryBudgetBytes?: number;
  /** Told of what goes wrong behind requests: damaged indexes at the start, failed merges. */
  readonly onProblem?: (message: string, error: unknown) => void;
}

/** Writes to one index that may wait at a time; what they bring is in memory meanwhile. */
const WAITING_WRITES_MAX = 1000;

/** The search back end on Findling's own engine, in this process. */
export class EmbeddedBackend implements SearchBackend {
  readonly #directory: string;
  readonly #options: EmbeddedBackendOptions;
  readonly #lock: { release(): Promise<void> };
  readonly #merges = new WorkerMergeRunner();
  readonly #indexes = new Map<StorageId, EmbeddedIndex>();
  readonly #generations = new WeakMap<Searcher, number>();
  #generationCount = 0;
  #isStopping = false;

  private constructor(options: EmbeddedBackendOptions, lock: { release(): Promise<void> }) {
    this.#directory = join(options.dataDirectory, "indexes");
    this.#options = options;
    this.#lock = lock;
  }

  /** Takes the data folder for this process. @throws FindlingError `storage_locked` naming the holder */
  static async open(options: EmbeddedBackendOptions): Promise<EmbeddedBackend> {
    const folder = await FileDirectory.open(options.dataDirectory, { create: true });
    return new EmbeddedBackend(options, await folder.lock());
  }

  async start(
    indexes: readonly { readonly storageId: StorageId; readonly schema: IndexSchema }[],
  ): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const known = new Set(indexes.map(({ storageId }) => storageId));
    for (const name of await readdir(this.#directory)) {
      if (!known.has(name)) await rm(join(this.#directory, name), { recursive: true, force: true });
    }
    for (const { storageId, schema } of indexes) {
      const index = this.#newIndex(storageId);
      const problem = await index.open();
      if (problem !== null) this.#report(`index '${schema.name}' cannot be opened`, problem);
      this.#indexes.set(storageId, index);
    }
  }

  async createIndex(storageId: StorageId, schema: IndexSchema): Promise<void> {
    const index = this.#newIndex(storageId);
    try {
      await index.create(toEngineSchema(schema));
    } catch (error) {
      await rm(join(this.#directory, storageId), { recursive: true, force: true });
      throw error;
    }
    this.#indexes.set(storageId, index);
  }

  /** Search settings live in the plan; the engine keeps fields and analysis only. */
  async updateIndex(): Promise<void> {}

  async rewriteIndex(
    storageId: StorageId,
    copy: { readonly storageId: StorageId; readonly schema: IndexSchema; readonly isWanted: () => boolean },
  ): Promise<IndexRewrite> {
    const source = await this.#writer(storageId);
    await this.createIndex(copy.storageId, copy.schema);
    const dropCopy = (): Promise<void> =>
      this.dropIndex(copy.storageId).catch((error: unknown) =>
        this.#report(`removing storage '${copy.storageId}' failed`, error),
      );
    try {
      const rewrite = await source.rewriteInto(await this.#writer(copy.storageId));
      const abandon = async (): Promise<void> => {
        rewrite.close();
        await dropCopy();
      };
      try {
        await rewrite.catchUp(copy.isWanted);
      } catch (error) {
        rewrite.close();
        throw error;
      }
      return { finish: () => rewrite.finish(), abandon };
    } catch (error) {
      await dropCopy();
      throw error;
    }
  }

  async dropIndex(storageId: StorageId): Promise<void> {
    const index = this.#indexes.get(storageId);
    this.#indexes.delete(storageId);
    await index
      ?.close()
      .catch((error: unknown) => this.#report(`closing storage '${storageId}' failed`, error));
    await rm(join(this.#directory, storageId), { recursive: true, force: true });
  }

  async add(storageId: StorageId, documents: readonly CanonicalDocument[]): Promise<readonly string[]> {
    return (await this.#writer(storageId)).add(documents);
  }

  async deleteMatching(storageId: StorageId, ast: QueryAst): Promise<number> {
    const index = await this.#writer(storageId);
    return index.deleteByQuery(lowerQuery(ast, index.searcher));
  }

  async deleteByKeptValue(
    storageId: StorageId,
    field: string,
    matches: (value: unknown) => boolean,
  ): Promise<number> {
    return (await this.#writer(storageId)).deleteByKeptValue(field, matches);
  }

  async deleteDocument(storageId: StorageId, documentId: string): Promise<boolean> {
    const index = await this.#writer(storageId);
    return (await index.deleteByQuery({ kind: "document_ids", ids: [documentId] })) > 0;
  }

  async deleteAll(storageId: StorageId): Promise<number> {
    return (await this.#writer(storageId)).deleteAll();
  }

  async commit(storageId: StorageId): Promise<void> {
    await (await this.#writer(storageId)).commit();
  }

  async rollback(storageId: StorageId): Promise<void> {
    await (await this.#writer(storageId)).rollback();
  }

  async hasPendingWrites(storageId: StorageId): Promise<boolean> {
    return this.#index(storageId).reader.hasPendingWrites;
  }

  async search(storageId: StorageId, plan: SearchPlan): Promise<BackendSearchResult> {
    return searchIndex(this.#index(storageId).reader.searcher, plan);
  }

  async generation(storageId: StorageId): Promise<number> {
    const { searcher } = this.#index(storageId).reader;
    let generation = this.#generations.get(searcher);
    if (generation === undefined) {
      generation = ++this.#generationCount;
      this.#generations.set(searcher, generation);
    }
    return generation;
  }

  async searchFederation(members: readonly FederationMember[]): Promise<FederatedSearchResult> {
    return searchFederation(
      members.map(({ storageId, plan, weight }) => ({
        searcher: this.#index(storageId).reader.searcher,
        plan,
        weight,
      })),
    );
  }

  async openSearch(storageId: StorageId, plan: SearchPlan): Promise<OpenSearch> {
    const { searcher, release } = this.#index(storageId).reader.holdSearcher();
    return OpenedSearch.open(() => BoundSearch.ofIndex(searcher, plan), plan, release);
  }

  async openFederatedSearch(members: readonly FederationMember[]): Promise<OpenSearch> {
    const held: HeldSearcher[] = [];
    const release = (): void => {
      for (const each of held) each.release();
    };
    try {
      for (const { storageId } of members) held.push(this.#index(storageId).reader.holdSearcher());
    } catch (error) {
      release();
      throw error;
    }
    const searched = members.map(({ plan, weight }, i) => ({ searcher: held[i]!.searcher, plan, weight }));
    const first = members.find(({ plan }) => plan !== null)?.plan ?? { offset: 0, limit: 0 };
    return OpenedSearch.open(() => BoundSearch.ofFederation(searched), first, release);
  }

  async document(storageId: StorageId, documentId: string): Promise<string | null> {
    return this.#index(storageId).reader.document(documentId);
  }

  async stats(
    storageId: StorageId,
  ): Promise<{ readonly documentCount: number; readonly spaceUsage: number }> {
    const index = this.#index(storageId).reader;
    return { documentCount: index.documentCount, spaceUsage: index.bytesOnDisk };
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    // A merge can take minutes and nobody waits for it: its inputs stay, and the next start does it again.
    await this.#merges.stop();
    for (const index of this.#indexes.values()) {
      await index.close().catch((error: unknown) => this.#report("closing an index failed", error));
    }
    this.#indexes.clear();
    await this.#lock.release();
  }

  #newIndex(storageId: StorageId): EmbeddedIndex {
    const path = join(this.#directory, storageId);
    const { memoryBudgetBytes } = this.#options;
    return new EmbeddedIndex(path, {
      mergeRunner: (task) => this.#merges.run(path, task),
      onMergeError: (error) => {
        if (!this.#isStopping) this.#report(`merging segments of storage '${storageId}' failed`, error);
      },
      waitingWritesMax: WAITING_WRITES_MAX,
      ...(memoryBudgetBytes === undefined ? {} : { memoryBudgetBytes }),
    });
  }

  #index(storageId: StorageId): EmbeddedIndex {
    const index = this.#indexes.get(storageId);
    if (index === undefined) {
      throw new FindlingError("index_not_found", "the index was deleted or replaced while the request ran");
    }
    return index;
  }

  #writer(storageId: StorageId): Promise<Index> {
    return this.#index(storageId).writer();
  }

  #report(message: string, error: unknown): void {
    this.#options.onProblem?.(message, error);
  }
}
