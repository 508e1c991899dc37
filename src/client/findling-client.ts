import type { AccessKey } from "../contract/access-key.js";
import type {
  CallerView,
  ConfigurationView,
  Overview,
  RecentLogLines,
  SignedIn,
  SlowSearches,
} from "../contract/admin.js";
import type { Alias } from "../contract/aliases.js";
import type {
  BackupBegun,
  BackupCheck,
  BackupList,
  BackupSummary,
  RestoreBegun,
  RestoredIndex,
  RestoreRequest,
} from "../contract/backup-bodies.js";
import type { SynonymLists } from "../contract/dictionary-bodies.js";
import type {
  DocumentsAdded,
  DocumentsRemoved,
  DocumentsUpdated,
  DocumentView,
} from "../contract/document-bodies.js";
import type { Federation } from "../contract/federation.js";
import type { FederationDraft, FederationStats } from "../contract/federation-bodies.js";
import type {
  AllIndexStats,
  FieldPatchDraft,
  IndexDraft,
  IndexExtensionsDraft,
  IndexNames,
  IndexSettingsDraft,
  IndexStats,
  IndexView,
} from "../contract/index-bodies.js";
import type { KeyDraft } from "../contract/key-bodies.js";
import type {
  BreakdownDashboard,
  ConversionDashboard,
  SummaryDashboard,
  UsageDashboard,
} from "../contract/measure-answers.js";
import type { DeletedEvents, MeasureStatus } from "../contract/measure-event.js";
import type { Suggestions } from "../contract/suggest.js";
import type { Capabilities, SummaryEvent } from "../contract/summary.js";
import { FindlingClientError } from "./findling-client-error.js";
import {
  type FindlingClientOptions,
  HttpTransport,
  type JsonText,
  type RequestOptions,
} from "./http-transport.js";
import type { BreakdownQuery, ExportQuery, MeasureEventDraft, MeasureQuery } from "./measure-types.js";
import type {
  CursorBody,
  SearchAnswer,
  SearchBody,
  SearchQuery,
  SummaryBody,
  WireScalar,
} from "./wire-types.js";

export type NamedIndexDraft = IndexDraft & { readonly name: string };
export type NamedFederationDraft = FederationDraft & { readonly name: string };
export type NewKey = KeyDraft & { readonly permissions: number };

export interface CreateIndexOptions extends RequestOptions {
  /** Replaces an index of that name with all its documents. Default false. */
  readonly overrideIfExists?: boolean;
}

export interface AddDocumentsOptions extends RequestOptions {
  /** Bad documents are left out, named and counted in the answer. Without it all are refused for one. */
  readonly onError?: "skip";
}

/**
 * Every operation of the server, one method each, named after its operation in the API's
 * description. A method resolves with the answer's `data` and rejects with FindlingClientError.
 * Writes are pending until `commitIndex`, which applies everybody's.
 */
export class FindlingClient {
  readonly #transport: HttpTransport;

  constructor(options: FindlingClientOptions) {
    this.#transport = new HttpTransport(options);
  }

  checkHealth(options?: RequestOptions): Promise<string> {
    return this.#transport.request("GET", ["healthcheck"], undefined, options);
  }

  /** The server's figures in Prometheus' text format. Needs an admin key. */
  async getMetrics(options?: RequestOptions): Promise<string> {
    return new Response(await this.#transport.download(["metrics"], options)).text();
  }

  // Indexes

  listIndexes(options?: RequestOptions): Promise<IndexNames> {
    return this.#transport.request("GET", ["index"], undefined, options);
  }

  getAllIndexStats(options?: RequestOptions): Promise<AllIndexStats> {
    return this.#transport.request("GET", ["index", "stats"], undefined, options);
  }

  createIndex(index: NamedIndexDraft, options: CreateIndexOptions = {}): Promise<string> {
    const body = { override_if_exists: options.overrideIfExists ?? false, index };
    return this.#transport.request("POST", ["index"], body, options);
  }

  getIndex(name: string, options?: RequestOptions): Promise<IndexView> {
    return this.#transport.request("GET", ["index", name], undefined, options);
  }

  getIndexStats(name: string, options?: RequestOptions): Promise<IndexStats> {
    return this.#transport.request("GET", ["index", name, "stats"], undefined, options);
  }

  /** Replaces the schema and removes all documents. */
  replaceIndex(name: string, index: IndexDraft, options?: RequestOptions): Promise<string> {
    return this.#transport.request("PUT", ["index", name], { index }, options);
  }

  /** Changes the settings named; documents stay. */
  patchIndex(name: string, settings: IndexSettingsDraft, options?: RequestOptions): Promise<string> {
    return this.#transport.request("PATCH", ["index", name], settings, options);
  }

  /** As `patchIndex`, for the settings beyond the specification. */
  patchIndexSettings(
    name: string,
    settings: IndexExtensionsDraft,
    options?: RequestOptions,
  ): Promise<string> {
    return this.#transport.request("PATCH", ["index", name, "settings"], settings, options);
  }

  /** Adds fields, and changes `stored`, `fast`, `indexed` and how values are read of others; documents stay. */
  patchIndexFields(
    name: string,
    fields: Readonly<Record<string, FieldPatchDraft>>,
    options?: RequestOptions,
  ): Promise<string> {
    return this.#transport.request("PATCH", ["index", name, "fields"], fields, options);
  }

  deleteIndex(name: string, options?: RequestOptions): Promise<string> {
    return this.#transport.request("DELETE", ["index", name], undefined, options);
  }

  // Aliases

  listAliases(options?: RequestOptions): Promise<readonly Alias[]> {
    return this.#transport.request("GET", ["alias"], undefined, options);
  }

  putAlias(alias: string, index: string, options?: RequestOptions): Promise<string> {
    return this.#transport.request("PUT", ["alias", alias], { index }, options);
  }

  deleteAlias(alias: string, options?: RequestOptions): Promise<string> {
    return this.#transport.request("DELETE", ["alias", alias], undefined, options);
  }

  /** All or none. */
  swapAliases(aliases: readonly Alias[], options?: RequestOptions): Promise<string> {
    return this.#transport.request("POST", ["alias", "swap"], aliases, options);
  }

  // Documents

  /** 1 to 10,000 documents, all or none of them unless `onError` skips bad ones; `JsonText` holds the array already written out. */
  addDocuments(
    index: string,
    documents: readonly object[] | object | JsonText,
    { onError, ...options }: AddDocumentsOptions = {},
  ): Promise<DocumentsAdded> {
    const query = { on_error: onError };
    return this.#transport.request("POST", ["index", index, "documents"], documents, { ...options, query });
  }

  /** Changes members of documents, all or none; each has the primary key or `_id`, and maybe `_version`. */
  updateDocuments(
    index: string,
    changes: readonly object[] | object,
    { upsert, ...options }: RequestOptions & { readonly upsert?: boolean } = {},
  ): Promise<DocumentsUpdated> {
    const query = { upsert };
    return this.#transport.request("PATCH", ["index", index, "documents"], changes, { ...options, query });
  }

  /** By the internal id that the server gave. */
  getDocument(
    index: string,
    documentId: string,
    { version, ...options }: RequestOptions & { readonly version?: boolean } = {},
  ): Promise<DocumentView> {
    const query = { version };
    const path = ["index", index, "documents", documentId];
    return this.#transport.request("GET", path, undefined, { ...options, query });
  }

  /** By the value of the index's primary key. */
  getDocumentByKey(
    index: string,
    key: string | number | bigint,
    { version, ...options }: RequestOptions & { readonly version?: boolean } = {},
  ): Promise<DocumentView> {
    const query = { version };
    const path = ["index", index, "documents", "by-key", String(key)];
    return this.#transport.request("GET", path, undefined, { ...options, query });
  }

  /** By the value of the index's primary key. */
  deleteDocumentByKey(
    index: string,
    key: string | number,
    options?: RequestOptions,
  ): Promise<DocumentsRemoved> {
    const path = ["index", index, "documents", "by-key", String(key)];
    return this.#transport.request("DELETE", path, undefined, options);
  }

  /** Deletes where one field has the value, or any of the values. */
  deleteDocumentsByField(
    index: string,
    field: string,
    value: WireScalar | readonly WireScalar[],
    options?: RequestOptions,
  ): Promise<DocumentsRemoved> {
    return this.#transport.request("DELETE", ["index", index, "documents"], { [field]: value }, options);
  }

  deleteDocumentsByQuery(
    index: string,
    query: SearchQuery,
    options?: RequestOptions,
  ): Promise<DocumentsRemoved> {
    return this.#transport.request("DELETE", ["index", index, "documents", "query"], { query }, options);
  }

  deleteAllDocuments(index: string, options?: RequestOptions): Promise<DocumentsRemoved> {
    return this.#transport.request("DELETE", ["index", index, "documents", "all"], undefined, options);
  }

  /** By the internal id that the server gave. */
  deleteDocument(index: string, documentId: string, options?: RequestOptions): Promise<DocumentsRemoved> {
    return this.#transport.request("DELETE", ["index", index, "documents", documentId], undefined, options);
  }

  // Search

  searchIndex<Document extends object = Record<string, unknown>>(
    index: string,
    body: SearchBody | CursorBody,
    options?: RequestOptions,
  ): Promise<SearchAnswer<Document>> {
    return this.#transport.request("POST", ["index", index, "search"], body, options);
  }

  /** Completions of a text, and titles it may be about, from the index's own words. */
  suggest(
    index: string,
    text: string,
    { limit, ...options }: RequestOptions & { readonly limit?: number } = {},
  ): Promise<Suggestions> {
    const query = { q: text, limit };
    return this.#transport.request("GET", ["index", index, "suggest"], undefined, { ...options, query });
  }

  getCapabilities(index: string, options?: RequestOptions): Promise<Capabilities> {
    return this.#transport.request("GET", ["index", index, "capabilities"], undefined, options);
  }

  /** Resolves when the search is done; the summary's pieces come as events. */
  async summarizeSearch(
    index: string,
    body: SummaryBody,
    options?: RequestOptions,
  ): Promise<AsyncGenerator<SummaryEvent, void, undefined>> {
    const segments = ["index", index, "search", "summary"];
    const { summaryEvents } = await import("./summary-events.js");
    return summaryEvents(await this.#transport.download(segments, { ...options, body }), brokenSummary);
  }

  /** The summary alone, as bytes of UTF-8; it breaks off where the model fails. */
  summarizeSearchAsText(
    index: string,
    body: SummaryBody,
    options?: RequestOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    const named = { indexName: index, searchQuery: body };
    return this.#transport.download(["api", "search", "summary"], { ...options, body: named });
  }

  /** Indexes that lack a field which the query names are left out. */
  searchFederation<Document extends object = Record<string, unknown>>(
    federation: string,
    body: SearchBody | CursorBody,
    options?: RequestOptions,
  ): Promise<SearchAnswer<Document>> {
    return this.#transport.request("POST", ["federation", federation, "search"], body, options);
  }

  // Synonyms and stopwords

  getSynonyms(index: string, options?: RequestOptions): Promise<SynonymLists> {
    return this.#transport.request("GET", ["index", index, "synonyms"], undefined, options);
  }

  /** Entries `keys:terms`, each side a comma-separated list; in force at once. */
  addSynonyms(index: string, entries: readonly string[], options?: RequestOptions): Promise<string> {
    return this.#transport.request("POST", ["index", index, "synonyms"], entries, options);
  }

  /** `key` removes the key, `key:term` that pair. */
  deleteSynonyms(index: string, entries: readonly string[], options?: RequestOptions): Promise<string> {
    return this.#transport.request("DELETE", ["index", index, "synonyms"], entries, options);
  }

  deleteAllSynonyms(index: string, options?: RequestOptions): Promise<string> {
    return this.#transport.request("DELETE", ["index", index, "synonyms", "all"], undefined, options);
  }

  /** Those in force: the language's and the custom ones. */
  getStopwords(index: string, options?: RequestOptions): Promise<readonly string[]> {
    return this.#transport.request("GET", ["index", index, "stopwords"], undefined, options);
  }

  addStopwords(index: string, words: readonly string[], options?: RequestOptions): Promise<string> {
    return this.#transport.request("POST", ["index", index, "stopwords"], words, options);
  }

  deleteStopwords(index: string, words: readonly string[], options?: RequestOptions): Promise<string> {
    return this.#transport.request("DELETE", ["index", index, "stopwords"], words, options);
  }

  /** The language's stay. */
  deleteAllStopwords(index: string, options?: RequestOptions): Promise<string> {
    return this.#transport.request("DELETE", ["index", index, "stopwords", "all"], undefined, options);
  }

  // Transactions

  commitIndex(index: string, options?: RequestOptions): Promise<string> {
    return this.#transport.request("POST", ["index", index, "commit"], undefined, options);
  }

  /** Drops all pending writes, also those of other writers. */
  rollbackIndex(index: string, options?: RequestOptions): Promise<string> {
    return this.#transport.request("POST", ["index", index, "rollback"], undefined, options);
  }

  // Federations

  listFederations(options?: RequestOptions): Promise<readonly Federation[]> {
    return this.#transport.request("GET", ["federation"], undefined, options);
  }

  /** Those for which the organization has a key that may search them. */
  listFederationsOfOrganization(
    id: string | number,
    options?: RequestOptions,
  ): Promise<readonly Federation[]> {
    return this.#transport.request("GET", ["federation", "organization", String(id)], undefined, options);
  }

  getFederation(name: string, options?: RequestOptions): Promise<Federation> {
    return this.#transport.request("GET", ["federation", name], undefined, options);
  }

  getFederationStats(name: string, options?: RequestOptions): Promise<FederationStats> {
    return this.#transport.request("GET", ["federation", name, "stats"], undefined, options);
  }

  /** Replaces a federation of that name. */
  createFederation(federation: NamedFederationDraft, options?: RequestOptions): Promise<Federation> {
    return this.#transport.request("POST", ["federation"], federation, options);
  }

  /** What the draft leaves out has its default. */
  replaceFederation(
    name: string,
    federation: FederationDraft,
    options?: RequestOptions,
  ): Promise<Federation> {
    return this.#transport.request("PUT", ["federation", name], federation, options);
  }

  deleteFederation(name: string, options?: RequestOptions): Promise<string> {
    return this.#transport.request("DELETE", ["federation", name], undefined, options);
  }

  // Measure

  getMeasureStatus(options?: RequestOptions): Promise<MeasureStatus> {
    return this.#transport.request("GET", ["measure", "status"], undefined, options);
  }

  recordMeasureEvent(event: MeasureEventDraft, options?: RequestOptions): Promise<string> {
    return this.#transport.request("POST", ["measure", "event"], event, options);
  }

  /** All of the events, at most 1,000, or none. */
  recordMeasureBatch(events: readonly MeasureEventDraft[], options?: RequestOptions): Promise<string> {
    return this.#transport.request("POST", ["measure", "batch"], events, options);
  }

  getSummaryDashboard(query: MeasureQuery = {}, options?: RequestOptions): Promise<SummaryDashboard> {
    return this.#dashboard("summary", query, options);
  }

  getConversionDashboard(query: MeasureQuery = {}, options?: RequestOptions): Promise<ConversionDashboard> {
    return this.#dashboard("conversion", query, options);
  }

  getUsageDashboard(query: MeasureQuery = {}, options?: RequestOptions): Promise<UsageDashboard> {
    return this.#dashboard("usage", query, options);
  }

  getBreakdownDashboard(query: BreakdownQuery = {}, options?: RequestOptions): Promise<BreakdownDashboard> {
    return this.#dashboard("breakdown", query, options);
  }

  /** The events as a file, piece by piece; the timeout is for its beginning. Needs an admin key. */
  exportMeasureEvents(
    query: ExportQuery = {},
    options?: RequestOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.download(["measure", "export"], { ...options, query });
  }

  /** Forgets every event of a user. Needs an admin key. */
  deleteMeasureUser(userId: string, options?: RequestOptions): Promise<DeletedEvents> {
    return this.#transport.request("DELETE", ["measure", "user", userId], undefined, options);
  }

  #dashboard<Dashboard>(
    name: string,
    query: BreakdownQuery,
    options: RequestOptions | undefined,
  ): Promise<Dashboard> {
    return this.#transport.request("GET", ["measure", "dashboard", name], undefined, { ...options, query });
  }

  // Keys: wherever one is given, its id does as well.

  /** Those that hold more than the client's own are masked: `********` and the last four characters. */
  listKeys(options?: RequestOptions): Promise<readonly AccessKey[]> {
    return this.#transport.request("GET", ["auth", "key"], undefined, options);
  }

  createKey(key: NewKey, options?: RequestOptions): Promise<AccessKey> {
    return this.#transport.request("POST", ["auth", "key"], key, options);
  }

  /** Those that the client's own key holds all rights of; the sentence says how many stayed, if any. */
  deleteAllKeys(options?: RequestOptions): Promise<string> {
    return this.#transport.request("DELETE", ["auth", "key"], undefined, options);
  }

  getKey(key: string, options?: RequestOptions): Promise<AccessKey> {
    return this.#transport.request("GET", ["auth", "key", key], undefined, options);
  }

  updateKey(key: string, changes: KeyDraft, options?: RequestOptions): Promise<AccessKey> {
    return this.#transport.request("POST", ["auth", "key", key], changes, options);
  }

  deleteKey(key: string, options?: RequestOptions): Promise<string> {
    return this.#transport.request("DELETE", ["auth", "key", key], undefined, options);
  }

  listKeysOfApplication(id: string | number, options?: RequestOptions): Promise<readonly AccessKey[]> {
    return this.#transport.request("GET", ["auth", "application", String(id)], undefined, options);
  }

  listKeysOfOrganization(id: string | number, options?: RequestOptions): Promise<readonly AccessKey[]> {
    return this.#transport.request("GET", ["auth", "organization", String(id)], undefined, options);
  }

  listKeysOfFederation(name: string, options?: RequestOptions): Promise<readonly AccessKey[]> {
    return this.#transport.request("GET", ["auth", "federation", name], undefined, options);
  }

  listKeysOfIndex(name: string, options?: RequestOptions): Promise<readonly AccessKey[]> {
    return this.#transport.request("GET", ["auth", "index", name], undefined, options);
  }

  /** Whether the client's own key holds all the bits; rejects with `insufficient_permissions` if not. */
  checkPermission(mask: number, options?: RequestOptions): Promise<string> {
    return this.#transport.request("GET", ["auth", "key", "check", String(mask)], undefined, options);
  }

  /** What the client's own key may do, and where. */
  describeCaller(options?: RequestOptions): Promise<CallerView> {
    return this.#transport.request("GET", ["auth", "self"], undefined, options);
  }

  // Administration: for keys that hold all of 63.

  getOverview(options?: RequestOptions): Promise<Overview> {
    return this.#transport.request("GET", ["admin", "overview"], undefined, options);
  }

  listSlowSearches(options?: RequestOptions): Promise<SlowSearches> {
    return this.#transport.request("GET", ["admin", "slow-searches"], undefined, options);
  }

  /** The last thousand lines, or those behind the one with the number `after`. */
  getLog({ after, ...options }: RequestOptions & { readonly after?: number } = {}): Promise<RecentLogLines> {
    const query = { after };
    return this.#transport.request("GET", ["admin", "log"], undefined, { ...options, query });
  }

  getConfiguration(options?: RequestOptions): Promise<ConfigurationView> {
    return this.#transport.request("GET", ["admin", "configuration"], undefined, options);
  }

  /** Exchanges the code of the link that a start printed; works once, and on the server's own machine. */
  signInWithCode(code: string, options?: RequestOptions): Promise<SignedIn> {
    return this.#transport.request("POST", ["admin", "sign-in"], { code }, options);
  }

  // Backups

  listBackups(options?: RequestOptions): Promise<BackupList> {
    return this.#transport.request("GET", ["backup"], undefined, options);
  }

  /** Resolves once the backup is there, which may take long: give it time. */
  createBackup(options?: RequestOptions): Promise<BackupSummary> {
    return this.#transport.request("POST", ["backup"], undefined, options);
  }

  /** Begins to make a backup and doesn't wait for it: `listBackups` tells what becomes of it. */
  beginBackup(options?: RequestOptions): Promise<BackupBegun> {
    const query = { wait: false };
    return this.#transport.request("POST", ["backup"], undefined, { ...options, query });
  }

  /** Reads every byte of a backup. */
  verifyBackup(id: string, options?: RequestOptions): Promise<BackupCheck> {
    return this.#transport.request("POST", ["backup", id, "verify"], undefined, options);
  }

  /** Restores an index of a backup under a name that no index has; resolves once it is there: give it time. */
  restoreIndex(id: string, restore: RestoreRequest, options?: RequestOptions): Promise<RestoredIndex> {
    return this.#transport.request("POST", ["backup", id, "restore"], restore, options);
  }

  /** Begins to restore an index and doesn't wait for it: `restores` of `listBackups` tells what becomes of it. */
  beginRestore(id: string, restore: RestoreRequest, options?: RequestOptions): Promise<RestoreBegun> {
    const query = { wait: false };
    return this.#transport.request("POST", ["backup", id, "restore"], restore, { ...options, query });
  }
}

function brokenSummary(cause?: unknown): FindlingClientError {
  const message = "the summary's stream ended before its last event";
  return new FindlingClientError({ status: 200, code: "connection_lost", message, cause });
}
