import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { CanonicalDocument } from "../../contract/canonical-value.js";
import type { IndexSchema } from "../../contract/index-schema.js";
import {
  type CacheFigures,
  FileDirectory,
  installCommit,
  loadKernels,
  readDetachedCommit,
  TimeLimit,
} from "../../engine/server-door.js";
import { FindlingError } from "../../errors/index.js";
import type { UnreadDocuments } from "../../intake/read-documents.js";
import type { Clock } from "../../ports/clock.js";
import type { ChangeOptions, DocumentChange, DocumentsChanged } from "../../ports/document-change.js";
import type { FilesToRestore, HeldFiles, IndexFiles } from "../../ports/index-files.js";
import type { IndexRewrite } from "../../ports/index-rewrite.js";
import type {
  BackendSearchResult,
  DocumentsReplaced,
  DocumentsWritten,
  FederatedSearchResult,
  FederationMember,
  Generation,
  KeyConflicts,
  OpenSearch,
  SearchBackend,
  SearchCaller,
  StorageId,
} from "../../ports/search-backend.js";
import type { KeptValueMatch } from "../../query/kept-value-match.js";
import type { ConditionalClause, QueryAst } from "../../query/query-ast.js";
import type { SearchPlan } from "../../query/search-plan.js";
import { AwakeIndexes, type AwakeLimits } from "./awake-indexes.js";
import { DataFolder } from "./data-folder.js";
import { EmbeddedIndex, type HeldIndex } from "./embedded-index.js";
import { heldFilesIn } from "./held-files.js";
import { IndexFolders } from "./index-folders.js";
import { conditionalClausesOf, lowerKnowing } from "./lower-query.js";
import { ReadingCopy } from "./reading-copy.js";
import { SearchThreads } from "./search-threads/search-threads.js";
import { type SearchedIndex, Searches } from "./searches.js";
import { toEngineSchema } from "./to-engine-schema.js";
import { LocalIndexHost } from "./writing/local-index-host.js";
import type { IndexHost } from "./writing/served-index.js";
import { ThreadIndexHost } from "./writing/thread-index-host.js";

export interface EmbeddedBackendOptions {
  /** Folder of the server's data; indexes are in `indexes/<storage id>`. */
  readonly dataDirectory: string;
  /** Memory for pending documents, of all indexes together. Default 128 MiB. */
  readonly memoryBudgetBytes?: number;
  /** Whether indexes are written in a thread of their own, from compiled files. Default false. */
  readonly writingThread?: boolean;
  /** When indexes are closed until they are used again. Default `DEFAULT_AWAKE_LIMITS`. */
  readonly awake?: AwakeLimits;
  /** How long a search may take. Default 5 s. */
  readonly searchTimeoutMs?: number;
  /** Threads for searches that take long. Default 0: all run in this thread. */
  readonly searchThreads?: number;
  /** Microseconds that a search may be expected to take and still run in this thread. Default 2000. */
  readonly searchCostHereMax?: number;
  readonly clock: Clock;
  /** Told of what goes wrong behind requests: damaged indexes, failed merges. */
  readonly onProblem?: (message: string, error: unknown) => void;
}

const DEFAULT_MEMORY_BUDGET_BYTES = 128 * 2 ** 20;

const SEARCH_TIMEOUT_MS = 5_000;

const NO_CLAUSES: ReadonlySet<ConditionalClause> = new Set();

/**
 * As many times as long as a search may a delete look for its documents: the index's writes wait meanwhile, but beside a
 * load the thread that writes has less of the processor than those that search. With the default, clients still wait.
 */
const DELETE_PATIENCE = 4;

export const DEFAULT_AWAKE_LIMITS: AwakeLimits = {
  countMax: 500,
  bytesMax: 4 * 2 ** 30,
  idleMs: 600_000,
};

/** The search back end on Findling's own engine, in this process. */
export class EmbeddedBackend implements SearchBackend {
  readonly #folders: IndexFolders;
  readonly #options: EmbeddedBackendOptions;
  readonly #dataFolder: DataFolder;
  readonly #host: IndexHost;
  readonly #indexes = new Map<StorageId, EmbeddedIndex>();
  readonly #awake: AwakeIndexes;
  readonly #searches: Searches;
  #lookingOver: Promise<void> = Promise.resolve();
  #generationCount = 0;
  readonly #startId: string = randomUUID();
  #isStopping = false;
  #keepsLeftovers = false;

  private constructor(options: EmbeddedBackendOptions, dataFolder: DataFolder) {
    const onProblem = (message: string, error: unknown): void => this.#report(message, error);
    this.#folders = new IndexFolders(join(options.dataDirectory, "indexes"), onProblem);
    this.#options = options;
    this.#dataFolder = dataFolder;
    const Host = options.writingThread === true ? ThreadIndexHost : LocalIndexHost;
    this.#host = new Host({
      pendingBytesMax: options.memoryBudgetBytes ?? DEFAULT_MEMORY_BUDGET_BYTES,
      onProblem,
      onNewest: (path, searcher) => this.#searches.follow({ path, searcher }),
    });
    this.#awake = new AwakeIndexes(options.awake ?? DEFAULT_AWAKE_LIMITS, options.clock, (error) =>
      this.#report("closing an index failed", error),
    );
    this.#searches = this.#newSearches(options);
  }

  /**
   * Takes the data folder for this process. One that takes nothing new, on a full or read-only disk, is only read
   * until it does.
   *
   * @throws FindlingError `storage_locked` naming the holder
   */
  static async open(options: EmbeddedBackendOptions): Promise<EmbeddedBackend> {
    loadKernels();
    await ReadingCopy.sweep();
    const dataFolder = await DataFolder.open(options.dataDirectory);
    if (dataFolder.problem !== null)
      options.onProblem?.(`'${options.dataDirectory}' can only be read for now`, dataFolder.problem);
    return new EmbeddedBackend(options, dataFolder);
  }

  /** What the caches of searches take, in bytes, and have answered since the start. */
  get cacheFigures(): readonly CacheFigures[] {
    return this.#searches.cacheFigures;
  }

  /** Resolves if this process may write to the data folder. @throws FindlingError `storage_unavailable` saying why not */
  requireWritable(): Promise<void> {
    return this.#dataFolder.requireWritable();
  }

  /** To be called before the start where not all indexes can be named: nothing is then deleted that nobody names. */
  keepLeftovers(): void {
    this.#keepsLeftovers = true;
  }

  async start(
    indexes: readonly { readonly storageId: StorageId; readonly schema: IndexSchema }[],
  ): Promise<void> {
    const named = new Set(indexes.map(({ storageId }) => storageId));
    for (const name of await this.#folders.tidy(named, { deletes: !this.#keepsLeftovers })) {
      const problem = `'${this.#folders.path(name)}' holds an index that the catalog doesn't name: it is set aside, and left as it is`;
      this.#report(`${problem}; 'findling adopt ${name}' takes it back`, undefined);
    }
    for (const { storageId, schema } of indexes) {
      this.#indexes.set(storageId, this.#newIndex(storageId, schema.name));
    }
    this.#lookingOver = this.#lookOver([...this.#indexes.values()]);
  }

  async createIndex(storageId: StorageId, schema: IndexSchema): Promise<void> {
    await this.requireWritable();
    const index = this.#newIndex(storageId, schema.name);
    try {
      await this.#folders.make(storageId);
      await index.create(toEngineSchema(schema));
    } catch (error) {
      await this.#folders.delete(storageId);
      throw error;
    }
    this.#indexes.set(storageId, index);
  }

  keepIndex(storageId: StorageId): Promise<void> {
    return this.#folders.keep(storageId);
  }

  releaseIndex(storageId: StorageId): Promise<void> {
    return this.#folders.release(storageId);
  }

  /** Search settings live in the plan; the engine keeps fields and analysis only. */
  async updateIndex(): Promise<void> {}

  async rewriteIndex(
    storageId: StorageId,
    copy: { readonly storageId: StorageId; readonly schema: IndexSchema; readonly isWanted: () => boolean },
  ): Promise<IndexRewrite> {
    const source = await this.#index(storageId).holdForWriting();
    let target: HeldIndex | null = null;
    const release = (): void => {
      source.release();
      target?.release();
    };
    const dropCopy = (): Promise<void> =>
      this.dropIndex(copy.storageId).catch((error: unknown) =>
        this.#report(`removing storage '${copy.storageId}' failed`, error),
      );
    try {
      await this.createIndex(copy.storageId, copy.schema);
      target = await this.#index(copy.storageId).holdForWriting();
      const rewrite = await this.#host.rewrite(source.index, target.index);
      try {
        await rewrite.catchUp(copy.isWanted);
      } catch (error) {
        rewrite.close();
        throw error;
      }
      return {
        async finish() {
          await rewrite.finish();
          release();
        },
        async abandon() {
          rewrite.close();
          release();
          await dropCopy();
        },
      };
    } catch (error) {
      release();
      await dropCopy();
      throw error;
    }
  }

  async dropIndex(storageId: StorageId): Promise<void> {
    await this.requireWritable();
    const index = this.#indexes.get(storageId);
    this.#indexes.delete(storageId);
    if (index !== undefined) this.#awake.forget(index);
    this.#searches.forget(this.#path(storageId));
    await index
      ?.close()
      .catch((error: unknown) => this.#report(`closing storage '${storageId}' failed`, error));
    await this.#folders.delete(storageId);
  }

  async add(storageId: StorageId, documents: readonly CanonicalDocument[]): Promise<readonly string[]> {
    return this.#index(storageId).write((index) => index.add(documents));
  }

  async replace(
    storageId: StorageId,
    key: string,
    documents: readonly CanonicalDocument[],
  ): Promise<DocumentsReplaced> {
    return this.#index(storageId).write((index) => index.replace(key, documents));
  }

  async addUnread(storageId: StorageId, documents: UnreadDocuments): Promise<DocumentsWritten> {
    return this.#index(storageId).write((index) => this.#host.addUnread(index, documents));
  }

  async change(
    storageId: StorageId,
    changes: readonly DocumentChange[],
    options: ChangeOptions,
  ): Promise<DocumentsChanged> {
    return this.#index(storageId).write((index) => this.#host.change(index, changes, options));
  }

  async keyConflicts(storageId: StorageId, field: string): Promise<KeyConflicts> {
    return this.#index(storageId).write((index) => index.keyConflicts(field));
  }

  async deleteMatching(storageId: StorageId, ast: QueryAst): Promise<number> {
    const timeLimitMs = this.#deleteTimeLimitMs;
    const searched = this.#index(storageId);
    return searched.write(async (index) => {
      const conditional = conditionalClausesOf(ast);
      // Without anything to wait for, in the order in which it was asked.
      const present =
        conditional.length === 0
          ? NO_CLAUSES
          : await this.#presentOf(conditional, { path: searched.path, index }, timeLimitMs);
      return index.deleteByQuery(
        lowerKnowing(ast, (clause) => present.has(clause)),
        timeLimitMs,
      );
    });
  }

  async deleteByKeptValue(storageId: StorageId, field: string, match: KeptValueMatch): Promise<number> {
    return this.#index(storageId).write((index) =>
      index.deleteByKeptValue(field, match, this.#deleteTimeLimitMs),
    );
  }

  get #deleteTimeLimitMs(): number {
    return (this.#options.searchTimeoutMs ?? SEARCH_TIMEOUT_MS) * DELETE_PATIENCE;
  }

  async deleteDocument(storageId: StorageId, documentId: string): Promise<boolean> {
    const query = { kind: "document_ids", ids: [documentId] } as const;
    return (await this.#index(storageId).write((index) => index.deleteByQuery(query))) > 0;
  }

  async deleteAll(storageId: StorageId): Promise<number> {
    return this.#index(storageId).write((index) => index.deleteAll());
  }

  async commit(storageId: StorageId): Promise<void> {
    await this.#index(storageId).write((index) => index.commit());
  }

  async rollback(storageId: StorageId): Promise<void> {
    await this.#index(storageId).write((index) => index.rollback());
  }

  async hasPendingWrites(storageId: StorageId): Promise<boolean> {
    return (await this.#index(storageId).glance()).mayHavePendingWrites;
  }

  search(
    storageId: StorageId,
    plan: SearchPlan,
    caller?: SearchCaller,
  ): BackendSearchResult | Promise<BackendSearchResult> {
    const searched = this.#index(storageId);
    return searched.read((index) => this.#searches.ofIndex({ path: searched.path, index }, plan, caller));
  }

  async generation(storageId: StorageId): Promise<Generation> {
    const number = await this.#index(storageId).generation(() => ++this.#generationCount);
    // Numbers begin anew with each start, and name other states then.
    return `${this.#startId}.${number}`;
  }

  async searchFederation(
    members: readonly FederationMember[],
    caller?: SearchCaller,
  ): Promise<FederatedSearchResult> {
    const held = await this.#holdAll(members);
    try {
      return await this.#searches.ofFederation(members, this.#searched(members, held), caller);
    } finally {
      for (const { release } of held) release();
    }
  }

  async openSearch(storageId: StorageId, plan: SearchPlan, caller?: SearchCaller): Promise<OpenSearch> {
    const searched = this.#index(storageId);
    return searched.read((index) => this.#searches.openOfIndex({ path: searched.path, index }, plan, caller));
  }

  async openFederatedSearch(
    members: readonly FederationMember[],
    caller?: SearchCaller,
  ): Promise<OpenSearch> {
    const held = await this.#holdAll(members);
    try {
      return await this.#searches.openOfFederation(members, this.#searched(members, held), caller);
    } finally {
      for (const each of held) each.release();
    }
  }

  async document(storageId: StorageId, documentId: string): Promise<string | null> {
    return this.#index(storageId).read((index) => index.document(documentId));
  }

  async stats(
    storageId: StorageId,
  ): Promise<{ readonly documentCount: number; readonly spaceUsage: number }> {
    const { documentCount, bytesOnDisk } = await this.#index(storageId).glance();
    return { documentCount, spaceUsage: bytesOnDisk };
  }

  /** The files of its indexes, for backups. */
  get files(): IndexFiles {
    return {
      hold: (storageId) => this.#holdFiles(storageId),
      describe: readDetachedCommit,
      restore: (storageId, schema, files) => this.#restoreIndex(storageId, schema, files),
    };
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#awake.stop();
    await this.#lookingOver;
    // A merge can take minutes and nobody waits for it: its inputs stay, and the next start does it again.
    await this.#host.endMerges();
    await this.#searches.stop();
    for (const index of this.#indexes.values()) {
      await index.close().catch((error: unknown) => this.#report("closing an index failed", error));
    }
    this.#indexes.clear();
    await this.#host.stop();
    await this.#dataFolder.release();
  }

  /** One that the disk has failed is opened again first: what is on disk isn't known before. */
  async #holdFiles(storageId: StorageId): Promise<HeldFiles> {
    const index = this.#index(storageId);
    let held = await index.hold();
    try {
      if (held.index.failure !== null) {
        held.release();
        held = await index.holdForWriting();
      }
      const { hasPendingWrites } = held.index;
      const commit = await held.index.holdCommit();
      const release = (): void => {
        commit.release();
        held.release();
      };
      return await heldFilesIn(index.path, { ...commit, release, hasPendingWrites }).catch(
        (error: unknown) => {
          commit.release();
          throw error;
        },
      );
    } catch (error) {
      held.release();
      throw error;
    }
  }

  async #restoreIndex(
    storageId: StorageId,
    schema: IndexSchema,
    { source, commit, open }: FilesToRestore,
  ): Promise<void> {
    await this.requireWritable();
    try {
      await this.#folders.make(storageId);
      const directory = await FileDirectory.open(this.#path(storageId), { create: false });
      await installCommit(directory, storageId, { source, commit, open });
    } catch (error) {
      await this.#folders.delete(storageId);
      throw error;
    }
    const index = this.#newIndex(storageId, schema.name);
    this.#indexes.set(storageId, index);
    try {
      // Opens every file, and compares each with what the commit says of it.
      (await index.hold()).release();
    } catch (error) {
      await this.dropIndex(storageId);
      throw error;
    }
  }

  /**
   * Reads what each index's files say, so that the operator learns early of one whose files are gone or
   * whose commit point is damaged; other damage shows when it is opened. Nobody waits for it.
   */
  async #lookOver(indexes: readonly EmbeddedIndex[]): Promise<void> {
    for (const index of indexes) {
      if (this.#isStopping) return;
      // What is wrong with it has been reported, and stays so for those who use it.
      await index.glance().catch(() => undefined);
    }
  }

  /**
   * The clauses whose word any document has, each looked up where searches run: one that is several tokens in a row may
   * take as long as they do.
   *
   * @throws FindlingError `search_timeout`
   */
  async #presentOf(
    clauses: readonly ConditionalClause[],
    index: SearchedIndex,
    timeLimitMs: number,
  ): Promise<ReadonlySet<ConditionalClause>> {
    const limit = new TimeLimit(timeLimitMs);
    const present = new Set<ConditionalClause>();
    for (const clause of clauses) {
      limit.check();
      const plan = { ast: clause.ast, offset: 0, limit: 0, facets: [] };
      if ((await this.#searches.ofIndex(index, plan)).count > 0) present.add(clause);
    }
    return present;
  }

  /** Holds each member's index open, all or none. */
  async #holdAll(members: readonly FederationMember[]): Promise<readonly HeldIndex[]> {
    const holding = await Promise.allSettled(
      members.map(async ({ storageId }) => this.#index(storageId).hold()),
    );
    const held = holding.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const refused = holding.find((each) => each.status === "rejected");
    if (refused === undefined) return held;
    for (const { release } of held) release();
    throw refused.reason;
  }

  #searched(members: readonly FederationMember[], held: readonly HeldIndex[]): SearchedIndex[] {
    return members.map(({ storageId }, i) => ({
      path: this.#index(storageId).path,
      index: held[i]!.index,
    }));
  }

  #path(storageId: StorageId): string {
    return this.#folders.path(storageId);
  }

  #newSearches({
    searchTimeoutMs: timeLimitMs = SEARCH_TIMEOUT_MS,
    searchThreads = 0,
    searchCostHereMax: costHereMax,
    clock,
  }: EmbeddedBackendOptions): Searches {
    const onProblem = (message: string, error: unknown): void => this.#report(message, error);
    const threads =
      searchThreads === 0 ? null : new SearchThreads({ count: searchThreads, clock, onProblem });
    return new Searches({ timeLimitMs, costHereMax }, threads);
  }

  #newIndex(storageId: StorageId, name: string): EmbeddedIndex {
    return new EmbeddedIndex(this.#path(storageId), this.#host, {
      whenThereIsRoom: (open) => this.#awake.whenThereIsRoom(open),
      onUse: (index) => this.#awake.touch(index),
      onSleep: (path) => this.#searches.sleep(path),
      requireWritable: () => this.requireWritable(),
      onReadOnly: (problem) => this.#report(`index '${name}' can only be read for now`, problem),
      onDamage: (problem) => this.#report(`index '${name}' cannot be opened`, problem),
    });
  }

  #index(storageId: StorageId): EmbeddedIndex {
    const index = this.#indexes.get(storageId);
    if (index === undefined) {
      throw new FindlingError("index_not_found", "the index was deleted or replaced while the request ran");
    }
    return index;
  }

  #report(message: string, error: unknown): void {
    this.#options.onProblem?.(message, error);
  }
}
