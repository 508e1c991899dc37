import { randomUUID } from "node:crypto";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import type { CanonicalDocument } from "../../contract/canonical-value.js";
import type { IndexSchema } from "../../contract/index-schema.js";
import { DocumentIdSource, keptValueMatcher } from "../../engine/server-door.js";
import { CorruptionError } from "../../errors/index.js";
import { readDocuments, type UnreadDocuments } from "../../intake/read-documents.js";
import { writeJson } from "../../json/exact-json.js";
import type { ChangeOptions, DocumentChange, DocumentsChanged } from "../../ports/document-change.js";
import type { IndexRewrite } from "../../ports/index-rewrite.js";
import type { MovedDocument } from "../../ports/moved-storage.js";
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
import type { QueryAst } from "../../query/query-ast.js";
import type { SearchPlan } from "../../query/search-plan.js";
import {
  type ChangedDocument,
  changesMade,
  DocumentChanges,
  distinctDocuments,
} from "../embedded/document-changes.js";
import type { toEngineSchema } from "../embedded/to-engine-schema.js";
import { findTargets } from "./change-targets.js";
import type { Cluster } from "./cluster.js";
import { type ClusterParts, openClusterParts } from "./cluster-parts.js";
import { ClusterSearches } from "./cluster-searches.js";
import { Collection, type SearchedStorage } from "./collection.js";
import { documentIdOf, revisionId, revisionOf, withDocumentIds } from "./document-revisions.js";
import { DocumentsCopy } from "./documents-copy.js";
import { type Dsl, MATCH_ALL } from "./dsl.js";
import { lifeIn, newLife } from "./encode-document.js";
import { encodedBatches } from "./encoded-batches.js";
import { type SearchAccess, sendSearch, storedJson } from "./federated-search.js";
import { committed, liveAt, newState } from "./index-generations.js";
import { documentsDefinition, type ShardSettings, WORDS_DEFINITION } from "./index-mapping.js";
import type { IndexState, IndexStates } from "./index-states.js";
import { InsertionOrder } from "./insertion-order.js";
import type { ClusterKeptSearches } from "./kept-searches.js";
import { idsWithValues, KeyCheck } from "./key-values.js";
import { KnownWords } from "./known-words.js";
import { QueryLowering } from "./lower-query.js";
import { LoweredSchemas } from "./lowered-schemas.js";
import { mappedInBreaths } from "./mapped-in-breaths.js";
import type { OwnedIndices } from "./owned-index.js";
import { PastStorage } from "./past-storage.js";
import { requireFields } from "./require-fields.js";
import { StorageNames } from "./storage-names.js";
import { StoredDocuments } from "./stored-documents.js";
import { rolledBack, type WriteTurn, WriteTurns } from "./write-turns.js";
import { WriteWindow } from "./write-window.js";

export interface ClusterBackendOptions {
  readonly searchTimeoutMs?: number;
  readonly shards?: ShardSettings;
  /** How long an open search that nobody reads can be gone on with. */
  readonly openSearchIdleMs?: number;
  /** Told of what goes wrong behind requests. */
  readonly onProblem?: (message: string, error: unknown) => void;
}

const DEFAULT_SHARDS: ShardSettings = { shards: 1, replicas: 1 };

/**
 * The back end on an OpenSearch cluster that any number of servers use. Each index is two of the cluster's, its documents
 * and their words, and a state (`index-states.ts`), whose generation says what of the documents is seen: so a commit is one
 * compare-and-set, and a search sees one moment, whatever is written meanwhile.
 */
export class ClusterBackend implements SearchBackend {
  readonly #cluster: Cluster;
  readonly #indices: OwnedIndices;
  readonly #names: StorageNames;
  readonly #states: IndexStates;
  readonly #access: SearchAccess;
  readonly keptSearches: ClusterKeptSearches;
  readonly #shards: ShardSettings;
  /** By which others know this process. */
  readonly #server = randomUUID();
  readonly #ids = new DocumentIdSource();
  readonly #order = new InsertionOrder(() => Date.now());
  readonly #shared = { knownWords: new KnownWords(), window: new WriteWindow() };
  readonly #turns = new Map<StorageId, WriteTurns>();
  readonly #schemas = new LoweredSchemas();
  readonly #past: PastStorage;
  readonly #searches: ClusterSearches;
  readonly #onProblem: NonNullable<ClusterBackendOptions["onProblem"]>;

  private constructor(
    cluster: Cluster,
    indices: OwnedIndices,
    { states, openSearches, keptSearches }: ClusterParts,
    { shards = DEFAULT_SHARDS, onProblem = () => undefined }: ClusterBackendOptions,
  ) {
    this.#cluster = cluster;
    this.#indices = indices;
    this.#names = new StorageNames(indices);
    this.#states = states;
    this.#access = openSearches.search;
    this.keptSearches = keptSearches;
    this.#shards = shards;
    this.#onProblem = onProblem;
    this.#past = new PastStorage({
      indices,
      names: this.#names,
      states,
      points: openSearches.points,
      keptSearches,
      documents: (storageId) => this.#documents(storageId),
      forget: (storageId) => this.#forget(storageId),
      onProblem,
    });
    this.#searches = new ClusterSearches({
      states,
      names: this.#names,
      schemas: this.#schemas,
      openSearches,
      past: this.#past,
    });
  }

  /** @throws FindlingError `invalid_configuration` if the prefix is somebody else's; `storage_unavailable` */
  static async open(
    cluster: Cluster,
    indices: OwnedIndices,
    options: ClusterBackendOptions = {},
  ): Promise<ClusterBackend> {
    return new ClusterBackend(cluster, indices, await openClusterParts(cluster, indices, options), options);
  }

  async start(
    indexes: readonly { readonly storageId: StorageId; readonly schema: IndexSchema }[],
  ): Promise<void> {
    const states = await this.#states.all();
    for (const { storageId } of indexes) {
      if (states.has(storageId)) continue;
      try {
        if ((await this.#states.find(storageId)) === null) this.#states.noteLost(storageId);
      } catch (error) {
        // Whoever asks for the index is told so; the others go on.
        if (!(error instanceof CorruptionError)) throw error;
        this.#onProblem("the state of an index in the cluster can't be read", error);
      }
    }
    this.#past.startClearing();
  }

  /** Storage that nobody names stays while this says so: an index whose entry can't be read looks like that. */
  keepUnnamedWhile(isDoubtful: () => boolean): void {
    this.#past.keepUnnamedWhile(isDoubtful);
  }

  async createIndex(storageId: StorageId, schema: IndexSchema): Promise<void> {
    await Promise.all([
      this.#indices.ensure(
        this.#names.documents(storageId),
        documentsDefinition(this.#schemas.engineSchema(schema), this.#shards),
      ),
      this.#indices.ensure(this.#names.words(storageId), WORDS_DEFINITION(this.#shards)),
    ]);
    await this.#states.create(storageId, newState(schema));
  }

  async keepIndex(storageId: StorageId): Promise<void> {
    await this.#mark(storageId, true);
  }

  async releaseIndex(storageId: StorageId): Promise<void> {
    await this.#mark(storageId, false);
  }

  async updateIndex(storageId: StorageId, schema: IndexSchema): Promise<void> {
    await this.#states.change(storageId, (state) => ({ ...state, schema }));
  }

  async rewriteIndex(
    storageId: StorageId,
    copy: { readonly storageId: StorageId; readonly schema: IndexSchema; readonly isWanted: () => boolean },
  ): Promise<IndexRewrite> {
    await this.#states.require(storageId);
    await this.createIndex(copy.storageId, copy.schema);
    const documents = new DocumentsCopy(this.#documents(storageId), this.#documents(copy.storageId), {
      member: copy.storageId,
      encoder: this.#schemas.encoder(copy.schema),
      isWanted: copy.isWanted,
    });
    const abandon = async (): Promise<void> => {
      await this.#past.dropNow(copy.storageId).catch(() => undefined);
      await this.#states
        .change(storageId, (state) => (state.isReplaced ? { ...state, isReplaced: false } : state))
        .catch(() => undefined);
    };
    try {
      await documents.bringUpToDate();
    } catch (error) {
      await abandon();
      throw error;
    }
    return {
      finish: () =>
        this.#turn(storageId).alone(async ({ generation, hasPending, commits }) => {
          await documents.bringUpToDate();
          await this.#states.change(copy.storageId, (state) => ({
            ...state,
            generation,
            hasPending,
            commits,
            countsLive: documents.hasOnlyAdded,
          }));
          return { result: undefined, change: (state) => ({ ...state, isReplaced: true }) };
        }),
      abandon,
    };
  }

  /** What is open still reads it; its data goes later. */
  async dropIndex(storageId: StorageId): Promise<void> {
    const found = await this.#states.find(storageId);
    if (found === null || found.state.droppedAt !== null) return;
    await this.#states.change(storageId, (state) => ({ ...state, droppedAt: Date.now() }));
    await this.#forget(storageId);
    if (!(await this.#past.isRead(storageId))) await this.#past.dropNow(storageId);
  }

  async add(storageId: StorageId, documents: readonly CanonicalDocument[]): Promise<readonly string[]> {
    const { schema } = (await this.#states.require(storageId)).state;
    const encoder = this.#schemas.encoder(schema);
    const ids = this.#ids.next(documents.length);
    const seqs = this.#order.next(documents.length);
    await this.#turn(storageId).shared(async (turn) => {
      const encoded = encodedBatches(documents, (document, i) => ({
        id: ids[i]!,
        ...encoder.encode(document, lifeIn(turn, storageId, seqs + i)),
      }));
      await this.#documents(storageId, turn).put(encoded);
    });
    return ids;
  }

  async replace(
    storageId: StorageId,
    key: string,
    documents: readonly CanonicalDocument[],
  ): Promise<DocumentsReplaced> {
    const keys = documents.map((document) => document[key]!);
    const last = new Map(keys.map((value, i) => [value, i]));
    const ids = this.#ids.next(documents.length);
    const seqs = this.#order.next(documents.length);
    return this.#turn(storageId).alone(async (state, turn) => {
      const stored = this.#documents(storageId, turn);
      await stored.refresh();
      const field = this.#schemas.engineSchema(state.schema).fields.find(({ name }) => name === key)!;
      const before = await idsWithValues(stored, {
        field,
        values: [...last.keys()],
        filter: liveAt(turn.pending),
      });
      const encoder = this.#schemas.encoder(state.schema);
      const kept = await mappedInBreaths(
        [...last.values()].sort((a, b) => a - b),
        (i) => ({
          id: ids[i]!,
          ...encoder.encode(documents[i]!, lifeIn(turn, storageId, seqs + i)),
        }),
      );
      await turn.announce();
      await stored.supersede(before, kept);
      const result = {
        ids: ids.map((id, i) => (last.get(keys[i]!) === i ? id : null)),
        replaced: before.length,
      };
      return { result };
    });
  }

  async change(
    storageId: StorageId,
    changes: readonly DocumentChange[],
    options: ChangeOptions,
  ): Promise<DocumentsChanged> {
    return this.#turn(storageId).alone(async (state, turn) => {
      const stored = this.#documents(storageId, turn);
      await stored.refresh();
      const schema = this.#schemas.engineSchema(state.schema);
      const found = await findTargets(stored, { schema, changes, options, filter: liveAt(turn.pending) });
      const made = new DocumentChanges(schema, options).made(
        changes,
        found.map((each) => (each === null ? null : each.found)),
      );
      if (!isMade(made)) return { result: made };
      const distinct = distinctDocuments(made);
      const newIds = this.#ids.next(distinct.length);
      const seqs = this.#order.next(distinct.length);
      const encoder = this.#schemas.encoder(state.schema);
      const ids = distinct.map(({ id }, i) => id ?? newIds[i]!);
      const written = await mappedInBreaths(distinct, ({ id, document }, i) => {
        const clusterId = id === null ? newIds[i]! : revisionId(id, seqs + i);
        const life = { ...lifeIn(turn, storageId, seqs + i), ...revisionOf(clusterId) };
        return { id: clusterId, ...encoder.encode(document, life) };
      });
      const before = new Set(found.flatMap((each) => (each === null ? [] : [each.clusterId])));
      await turn.announce();
      await stored.supersede([...before], written);
      return { result: changesMade(made, ids) };
    });
  }

  async keyConflicts(storageId: StorageId, name: string): Promise<KeyConflicts> {
    const { state } = await this.#states.require(storageId);
    const field = this.#schemas.engineSchema(state.schema).fields.find((each) => each.name === name)!;
    const documents = this.#documents(storageId);
    await documents.refresh();
    const check = new KeyCheck(field, state.generation);
    for await (const page of documents.all(MATCH_ALL)) for (const each of page) check.take(each);
    return check.conflicts;
  }

  /** The committed documents with their ids, in the order of their insertion. */
  async *committedDocuments(storageId: StorageId): AsyncGenerator<readonly MovedDocument[]> {
    const { state } = await this.#states.require(storageId);
    for await (const page of this.#documents(storageId).all(liveAt(state.generation)))
      yield page.map(({ id, document }) => ({ id: documentIdOf(id), document }));
  }

  /** Puts documents with their ids into storage that has just been made, as committed ones. */
  async fillWithCommitted(
    storageId: StorageId,
    schema: IndexSchema,
    batches: AsyncIterable<readonly MovedDocument[]>,
  ): Promise<void> {
    const { generation } = newState(schema);
    const encoder = this.#schemas.encoder(schema);
    const stored = this.#documents(storageId);
    for await (const batch of batches) {
      const seqs = this.#order.next(batch.length);
      const encoded = batch.map(({ id, document }, i) => ({
        id,
        ...encoder.encode(document, newLife(storageId, generation, seqs + i)),
      }));
      await stored.put([encoded]);
    }
    await stored.refresh();
  }

  async addUnread(storageId: StorageId, unread: UnreadDocuments): Promise<DocumentsWritten> {
    const reading = readDocuments(unread);
    const documents: CanonicalDocument[] = [];
    let step = reading.next();
    for (; step.done !== true; step = reading.next()) {
      documents.push(...(step.value ?? []));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { primaryKey } = unread;
    const read = step.value;
    if (documents.length === 0) return { ids: [], replaced: 0, ...read };
    if (primaryKey === undefined) return { ids: await this.add(storageId, documents), replaced: 0, ...read };
    return { ...(await this.replace(storageId, primaryKey, documents)), ...read };
  }

  async deleteMatching(storageId: StorageId, ast: QueryAst): Promise<number> {
    return this.#deleteAlone(storageId, async (state) => {
      const schema = this.#schemas.engineSchema(state.schema);
      requireFields(ast, schema.fields);
      return this.#filterOf(ast, this.#names.pendingStorage(storageId, state), schema);
    });
  }

  async deleteByKeptValue(storageId: StorageId, field: string, match: KeptValueMatch): Promise<number> {
    return this.#turn(storageId).alone(async (state, turn) => {
      const documents = this.#documents(storageId, turn);
      await documents.refresh();
      const isMeant = keptValueMatcher(
        match,
        createAnalyzer(this.#schemas.engineSchema(state.schema).analyzer),
      );
      const found: string[] = [];
      for await (const page of documents.all(liveAt(turn.pending))) {
        for (const { id, document } of page) {
          if (field in document && [document[field]].flat().some(isMeant)) found.push(id);
        }
      }
      if (found.length > 0) {
        await turn.announce();
        await documents.bury(found);
      }
      return { result: found.length };
    });
  }

  async deleteDocument(storageId: StorageId, documentId: string): Promise<boolean> {
    const count = await this.#deleteAlone(storageId, async () => withDocumentIds([documentId]));
    return count > 0;
  }

  async deleteAll(storageId: StorageId): Promise<number> {
    return this.#deleteAlone(storageId, async () => MATCH_ALL);
  }

  async commit(storageId: StorageId): Promise<void> {
    const { state } = await this.#states.require(storageId);
    if (!state.hasPending) return;
    await this.#turn(storageId).alone(async ({ hasPending }, turn) => {
      if (!hasPending) return { result: undefined };
      await this.#documents(storageId, turn).refresh();
      return { result: undefined, change: committed };
    });
    this.#past.purgeLater(storageId);
  }

  async rollback(storageId: StorageId): Promise<void> {
    await this.#turn(storageId).alone(async ({ hasPending }, turn) => {
      if (!hasPending) return { result: undefined };
      await turn.change((now) => ({ ...now, isRollingBack: true }));
      await this.#documents(storageId, turn).undo();
      return { result: undefined, change: rolledBack };
    });
  }

  async pendingMark(storageId: StorageId): Promise<string | null> {
    const { state, seqNo } = await this.#states.require(storageId);
    return state.hasPending ? `${state.generation} ${seqNo}` : null;
  }

  async hasPendingWrites(storageId: StorageId): Promise<boolean> {
    return (await this.#states.require(storageId)).state.hasPending;
  }

  async search(storageId: StorageId, plan: SearchPlan, caller?: SearchCaller): Promise<BackendSearchResult> {
    const { hits, ...rest } = await this.searchFederation([{ storageId, plan, weight: 1 }], caller);
    return { hits: hits.map(({ memberIndex: _, ...hit }) => hit), ...rest };
  }

  async generation(storageId: StorageId): Promise<Generation> {
    return String((await this.#states.require(storageId)).state.generation);
  }

  async searchFederation(
    members: readonly FederationMember[],
    caller?: SearchCaller,
  ): Promise<FederatedSearchResult> {
    return this.#searches.search(members, caller);
  }

  async openSearch(storageId: StorageId, plan: SearchPlan, caller?: SearchCaller): Promise<OpenSearch> {
    return this.openFederatedSearch([{ storageId, plan, weight: 1 }], caller);
  }

  async openFederatedSearch(
    members: readonly FederationMember[],
    caller?: SearchCaller,
  ): Promise<OpenSearch> {
    return this.#searches.open(members, caller);
  }

  async document(storageId: StorageId, documentId: string): Promise<string | null> {
    const { state } = await this.#states.require(storageId);
    const found = await this.#documents(storageId).find(documentId, state.generation);
    return found === null ? null : storedJson(writeJson(found), this.#schemas.engineSchema(state.schema));
  }

  async stats(
    storageId: StorageId,
  ): Promise<{ readonly documentCount: number; readonly spaceUsage: number }> {
    const { state } = await this.#states.require(storageId);
    const collection = this.#collection([this.#names.storage(storageId, state.generation)]);
    const { documents } = this.#names.of(storageId);
    const [documentCount, { body }] = await Promise.all([
      collection.count(MATCH_ALL),
      this.#cluster.request<{
        readonly _all: { readonly primaries: { readonly store: { readonly size_in_bytes: number } } };
      }>("GET", `/${documents}/_stats/store`),
    ]);
    return { documentCount, spaceUsage: body._all.primaries.store.size_in_bytes };
  }

  async stop(): Promise<void> {
    await this.#past.stopClearing();
    for (const turns of this.#turns.values()) await turns.close();
    this.#turns.clear();
  }

  /** Deletes what the query finds, committed and pending. @param find gets the state, and gives the filter */
  #deleteAlone(storageId: StorageId, find: (state: IndexState) => Promise<Dsl>): Promise<number> {
    return this.#turn(storageId).alone(async (state, turn) => {
      const documents = this.#documents(storageId, turn);
      await documents.refresh();
      const query = { bool: { filter: [liveAt(turn.pending), await find(state)] } };
      // Finding them has a time limit, as any search; changing what was found has none. The count is taken before, since
      // a request that is sent again, as its answer was lost, would find nothing left.
      const path = `/${this.#names.documents(storageId)}/_search`;
      const { hits } = await sendSearch(
        this.#access,
        path,
        { query, size: 0, track_total_hits: true },
        undefined,
      );
      const count = hits.total!.value;
      if (count > 0) {
        await turn.announce();
        await documents.buryFound(query);
      }
      return { result: count };
    });
  }

  #filterOf(
    ast: QueryAst,
    storage: SearchedStorage,
    schema: ReturnType<typeof toEngineSchema>,
  ): Promise<Dsl> {
    const collection = this.#collection([storage], true);
    const lowering: QueryLowering = new QueryLowering({
      schema,
      collection,
      holds: async (clause) => (await collection.count(await lowering.filter(clause.ast))) > 0,
      statisticsFieldsOf: ({ fields }) => fields.map(({ field }) => field),
      hasOwnStatistics: false,
      boosts: null,
    });
    return lowering.filter(ast);
  }

  #collection(storages: readonly SearchedStorage[], isChanging = false): Collection {
    const { kept, timeoutMs } = this.#access;
    return new Collection(this.#cluster, storages, { kept, caller: undefined, timeoutMs, isChanging });
  }

  /** @param turn absent where nothing is written that others write as well */
  #documents(storageId: StorageId, turn?: WriteTurn): StoredDocuments {
    const storage = { storageId, ...this.#names.of(storageId) };
    return new StoredDocuments(this.#cluster, storage, this.#shared, turn);
  }

  #turn(storageId: StorageId): WriteTurns {
    let turns = this.#turns.get(storageId);
    if (turns === undefined) {
      turns = new WriteTurns(this.#states, storageId, {
        server: this.#server,
        window: this.#shared.window,
        undoing: {
          settle: (turn) => this.#documents(storageId, turn).settle(),
          rollback: (turn) => this.#documents(storageId, turn).undo(),
          operations: (operations, turn) => this.#documents(storageId, turn).undoOperations(operations),
        },
      });
      this.#turns.set(storageId, turns);
    }
    return turns;
  }

  async #mark(storageId: StorageId, isKept: boolean): Promise<void> {
    await this.#states.change(storageId, (state) => ({ ...state, isKept })).catch(() => undefined);
  }

  async #forget(storageId: StorageId): Promise<void> {
    const turns = this.#turns.get(storageId);
    this.#turns.delete(storageId);
    await turns?.close();
  }
}

function isMade(made: readonly ChangedDocument[] | DocumentsChanged): made is readonly ChangedDocument[] {
  return Array.isArray(made);
}
