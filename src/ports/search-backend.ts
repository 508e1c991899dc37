import type { CanonicalDocument, CanonicalValue } from "../contract/canonical-value.js";
import type { IndexSchema } from "../contract/index-schema.js";
import type { Facet } from "../contract/search.js";
import type { DocumentsRead, UnreadDocuments } from "../intake/read-documents.js";
import type { KeptValueMatch } from "../query/kept-value-match.js";
import type { QueryAst } from "../query/query-ast.js";
import type { SearchPlan } from "../query/search-plan.js";
import type { ChangeOptions, DocumentChange, DocumentsChanged } from "./document-change.js";
import type { IndexRewrite } from "./index-rewrite.js";

/** Names one incarnation of an index's data; a replaced index gets a new one. Safe as a folder name. */
export type StorageId = string;

/** Names a committed state of an index; to be compared for equality only. */
export type Generation = string;

export interface BackendHit {
  readonly documentId: string;
  readonly score: number;
  /** The stored fields that the plan shows as JSON in UTF-8; not to be changed, as others may have the same bytes. */
  readonly docJson: Uint8Array;
  /** By field the fragments with what matched between tags as JSON in UTF-8, if the plan asks for them. */
  readonly highlightsJson?: Uint8Array;
  /** A `ScoreExplanation` as JSON in UTF-8, if the plan asks for it. */
  readonly explanationJson?: Uint8Array;
}

/** Where a search's time went, in milliseconds; what is missing is waiting. */
export interface BackendPhases {
  /** Matching, ranking and counting facets. */
  readonly match: number;
  /** Reading documents. */
  readonly documents: number;
  /** Highlights, explanations, cutting down to fields. */
  readonly show: number;
}

export interface BackendSearchResult {
  readonly count: number;
  readonly hits: readonly BackendHit[];
  /** One for each facet field of the plan, multi-select ones behind the others. */
  readonly facets: readonly Facet[];
  /** If the plan asks for them. */
  readonly phases?: BackendPhases;
}

/** What has come of documents that took the place of others. */
export interface DocumentsReplaced {
  /** The new documents', in order; null where a later one of the same write has overwritten it. */
  readonly ids: readonly (string | null)[];
  /** Documents of before the write, committed or pending, that gave way. */
  readonly replaced: number;
}

/** Documents that were read here, and have ids where they were good. */
export interface DocumentsWritten extends DocumentsReplaced, DocumentsRead {}

/** What keeps a field from being an index's key, in the committed state or in the one that a commit would make. */
export interface KeyConflicts {
  /** Values that several documents have, at most 20 of them, and how many there are. */
  readonly shared: readonly CanonicalValue[];
  readonly sharedCount: number;
  /** Ids of documents without a value, or with an empty text, at most 20 of them, and how many there are. */
  readonly lacking: readonly string[];
  readonly lackingCount: number;
}

/** Who waits for a search: it needn't be finished once nobody does. */
export interface SearchCaller {
  readonly isGone: boolean;
  /** Calls the listener once, when the caller goes, unless what is returned is called before. */
  whenGone(listener: () => void): () => void;
}

/** An index as a member of one federated search. */
export interface FederationMember {
  readonly storageId: StorageId;
  /** Null: its documents are left out, but its statistics count. */
  readonly plan: SearchPlan | null;
  /** Its documents' scores are multiplied by it; at least 0. */
  readonly weight: number;
}

export interface FederatedHit extends BackendHit {
  /** Where the hit's index is among the members. */
  readonly memberIndex: number;
}

export interface FederatedSearchResult {
  readonly count: number;
  readonly hits: readonly FederatedHit[];
  /** One for each facet field of any plan, in the order of the members, merged by field and path. */
  readonly facets: BackendSearchResult["facets"];
  readonly phases?: BackendPhases;
}

/** Where a page of an open search begins: where the search says, or the page before it. */
export interface HitPosition {
  /** Hits in front of it. */
  readonly offset: number;
  /** What the back end finds it by, in characters of base64 for URLs; empty where the offset is enough. */
  readonly key: string;
}

export interface HitPage {
  readonly hits: readonly FederatedHit[];
  /** Where the next page begins; null if no hit follows. */
  readonly next: HitPosition | null;
}

/** A search whose hits are read page by page, all in the state of the moment at which it was opened. */
export interface OpenSearch {
  readonly count: number;
  /** Where the first page begins: the plan's offset. */
  readonly first: HitPosition;
  readonly facets: BackendSearchResult["facets"];
  /** Places of hits that are held in memory, about 20 bytes each. Grows with the depth of the pages. */
  readonly heldHits: number;
  /**
   * The hits from a position on, at most `limit`. A page can be read again.
   *
   * @param caller who waits for them; without one the search goes on to its end
   * @throws FindlingError `cursor_expired` if the position is none of this search; what a search throws
   */
  page(from: HitPosition, limit: number, caller?: SearchCaller): Promise<HitPage>;
  /** Lets go of everything; calling it again does nothing. */
  close(): void;
}

/** An open search as whoever goes on with it finds it. */
export interface KeptSearch {
  readonly search: OpenSearch;
  /** As it was given with the search. */
  readonly note: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  /** To be called when a page has been read: from now on it expires then. */
  read(expiresAt: number): Promise<void>;
}

/** Open searches that every process which uses the storage can go on with. */
export interface KeptSearches {
  /** How long at least a search stays that nobody reads, in milliseconds. */
  readonly idleMs: number;
  /**
   * @param id that nobody can guess
   * @param search of this back end, which is not closed
   * @param note what is needed besides to go on
   */
  keep(
    id: string,
    search: OpenSearch,
    more: { readonly note: string; readonly expiresAt: number },
  ): Promise<void>;
  /** Null if there is none; it may have expired. Closing its search does nothing to others'. */
  find(id: string): Promise<KeptSearch | null>;
  forget(id: string): Promise<void>;
}

/**
 * Where documents live: in this process, or in a cluster that several processes use. Writes are pending until
 * `commit`; `search`, `document` and `stats` see committed state only. What has resolved is seen by all that is asked
 * here afterwards. A write that has resolved survives a crash: it is pending again after a restart. Calls for one index
 * may overlap; the back end puts writes in order.
 *
 * Errors: `index_not_found` if there is no such storage (any more), `storage_unavailable` when the storage can't take or give it now (nothing is applied; a write
 * during which the thread that writes died may have been, whole, as one that a crash cut off),
 * `storage_corrupt` naming the file, `rate_limited` with `retryAfterSeconds` under back-pressure.
 * Searches besides: `search_timeout` if they take too long or their caller has gone, and what is wrong with the query.
 */
export interface SearchBackend {
  /** Absent where only the process that opened a search can go on with it. */
  readonly keptSearches?: KeptSearches;
  /**
   * Takes the given indexes over. Storage that none of them names is deleted if a crash has left it while it was being
   * made or dropped; all else holds somebody's data, and is left where it is. An index that is damaged fails whoever
   * uses it, not the start.
   */
  start(indexes: readonly { readonly storageId: StorageId; readonly schema: IndexSchema }[]): Promise<void>;
  /** Until `keepIndex` it is storage that a start deletes unless it is named. */
  createIndex(storageId: StorageId, schema: IndexSchema): Promise<void>;
  /** From now on it is named, and only `dropIndex` deletes it. Never rejects. */
  keepIndex(storageId: StorageId): Promise<void>;
  /** It is about to be named no more: a start may delete it unless it is named after all. Never rejects. */
  releaseIndex(storageId: StorageId): Promise<void>;
  /** Settings changed that need no new data; documents stay. */
  updateIndex(storageId: StorageId, schema: IndexSchema): Promise<void>;
  /**
   * Begins to copy an index into new storage, analysed as the schema says; the fields are the same.
   * The index goes on as it is. Resolves when the copy is nearly up to date; it leaves nothing if it
   * fails, or if it is no longer wanted, which is asked every few milliseconds.
   */
  rewriteIndex(
    storageId: StorageId,
    copy: {
      readonly storageId: StorageId;
      readonly schema: IndexSchema;
      readonly isWanted: () => boolean;
    },
  ): Promise<IndexRewrite>;
  /** Running searches finish; then the data is gone. Deleting what is not there is fine. */
  dropIndex(storageId: StorageId): Promise<void>;

  /** Resolves with the new documents' ids in order once the write is durable. Documents fit the schema. */
  add(storageId: StorageId, documents: readonly CanonicalDocument[]): Promise<readonly string[]>;
  /**
   * As `add`, and documents with the same value in the field `key` give way, committed or pending as they are at this
   * write: a rollback brings them back. Of several of these with one value the last stays. All have a value.
   *
   * @param key a field of one value, which the schema names as its `primary_key`
   */
  replace(
    storageId: StorageId,
    key: string,
    documents: readonly CanonicalDocument[],
  ): Promise<DocumentsReplaced>;
  /**
   * As `add`, or `replace` by their `primaryKey`, for many documents that have yet to be read (`readDocuments`),
   * wherever that is least in the way. Their bytes are the back end's from now on. Smaller writes and commits that come later may go before.
   *
   * @throws FindlingError besides: what `readDocuments` throws
   */
  addUnread(storageId: StorageId, documents: UnreadDocuments): Promise<DocumentsWritten>;
  /**
   * Changes documents that there are, committed or pending ones, all or none, as this write finds them; their ids stay,
   * and they take the places of new documents. Several changes of one document are made one after the other.
   */
  change(
    storageId: StorageId,
    changes: readonly DocumentChange[],
    options: ChangeOptions,
  ): Promise<DocumentsChanged>;
  /**
   * Looks whether documents could be replaced by the values of a field: of one value, of type text, u64 or i64. All
   * documents lack one of a field that the index doesn't have.
   */
  keyConflicts(storageId: StorageId, field: string): Promise<KeyConflicts>;
  /**
   * Deletes committed and pending matches; resolves with how many, once durable.
   *
   * @throws FindlingError besides: `search_timeout` if finding them takes too long, and what is wrong with the query;
   *   then nothing is deleted
   */
  deleteMatching(storageId: StorageId, ast: QueryAst): Promise<number>;
  /** As `deleteMatching`, for a field that has no index: compares kept values. */
  deleteByKeptValue(storageId: StorageId, field: string, match: KeptValueMatch): Promise<number>;
  /** False if there is no such committed or pending document. */
  deleteDocument(storageId: StorageId, documentId: string): Promise<boolean>;
  deleteAll(storageId: StorageId): Promise<number>;
  commit(storageId: StorageId): Promise<void>;
  rollback(storageId: StorageId): Promise<void>;
  /** Whether acknowledged writes may wait for a commit (for auto commit after a restart); false only if none does. */
  hasPendingWrites(storageId: StorageId): Promise<boolean>;
  /**
   * Only where several processes use the storage: names what is pending, and is another name once any of them has written
   * more; null if nothing is.
   */
  pendingMark?(storageId: StorageId): Promise<string | null>;

  /** Without a promise where nothing has to be waited for. */
  search(
    storageId: StorageId,
    plan: SearchPlan,
    caller?: SearchCaller,
  ): BackendSearchResult | Promise<BackendSearchResult>;
  /**
   * Names the committed state that a search begun now would see: what has one name is one state, in every process
   * that uses the storage and after every start. A commit that changed something gives another name. Asked before a
   * search, it names what the search sees or something older.
   */
  generation(storageId: StorageId): Promise<Generation>;
  /**
   * Searches several indexes as one (contract 5.8), all in the state of one moment: scores depend on
   * the statistics of all members together. Hits by score, or by value where the plans say so, then
   * by the order of the members, then by that of insertion. Plans agree in offset, limit and order.
   */
  searchFederation(
    members: readonly FederationMember[],
    caller?: SearchCaller,
  ): Promise<FederatedSearchResult>;
  /** As `search`, with hits to come; the plan's offset and limit say what will be read first. */
  openSearch(storageId: StorageId, plan: SearchPlan, caller?: SearchCaller): Promise<OpenSearch>;
  /** As `searchFederation`, with hits to come. */
  openFederatedSearch(members: readonly FederationMember[], caller?: SearchCaller): Promise<OpenSearch>;
  /** The stored document as JSON text; null if it is not there (committed state). */
  document(storageId: StorageId, documentId: string): Promise<string | null>;
  /** Committed documents, and bytes on disk (may be an estimate). */
  stats(storageId: StorageId): Promise<{ readonly documentCount: number; readonly spaceUsage: number }>;

  /** Finishes running work, leaves pending writes journalled, releases everything. */
  stop(): Promise<void>;
}
