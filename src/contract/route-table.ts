import Type, { type TSchema } from "typebox";
import type { ErrorCode } from "../errors/index.js";
import { PERMISSION } from "./access-key.js";
import {
  stopwordsSchema,
  synonymDeletesSchema,
  synonymEntriesSchema,
  synonymListsSchema,
} from "./dictionary-bodies.js";
import {
  deleteByFieldBodySchema,
  documentsAddedSchema,
  documentsBodySchema,
  documentsRemovedSchema,
  documentViewSchema,
} from "./document-bodies.js";
import { sentenceAnswer } from "./envelope.js";
import {
  federationBodySchema,
  federationListSchema,
  federationSchema,
  federationStatsSchema,
} from "./federation-bodies.js";
import {
  allIndexStatsSchema,
  indexBodySchema,
  indexNamesSchema,
  indexPatchSchema,
  indexStatsSchema,
  indexViewSchema,
} from "./index-bodies.js";
import {
  accessKeyListSchema,
  accessKeySchema,
  keyCreateBodySchema,
  keyUpdateBodySchema,
} from "./key-bodies.js";
import { deleteByQueryBodySchema, searchAnswerSchema, searchBodySchema } from "./search-bodies.js";
import { suggestAnswerSchema, suggestQuerySchema } from "./suggest.js";

/** Who may call a route (contract 2.3). */
export type RouteAccess =
  /** No key; one that is sent is not checked. */
  | { readonly kind: "public" }
  /** Any active key. `evenIfOff`: also where authentication is switched off. */
  | { readonly kind: "any_key"; readonly evenIfOff: boolean }
  /** All of the bits; with `ownKey`, any active key where the path's `:key` is the caller's own. */
  | { readonly kind: "permission"; readonly bits: number; readonly ownKey: boolean };

/**
 * What the key's scope is held against (contract 2.4): the path's index or federation, nothing, or
 * the answer, which then lists only what is in scope. `body_index`: the index named in the body,
 * which the service checks.
 */
export type RouteScope = "index" | "federation" | "none" | "filtered" | "body_index";

/** A rule on the body that changes the permission: `ai_enabled` in it needs bit 16 too; the service checks it. */
export type RouteBodyRule = "ai_enabled_needs_modify_index";

export type RouteTag =
  | "Health"
  | "Indexes"
  | "Documents"
  | "Search"
  | "Dictionaries"
  | "Transactions"
  | "Federations"
  | "Keys";

export interface RouteRow {
  /** camelCase, unique; names the handler and the OpenAPI operation. */
  readonly operationId: OperationId;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `:name` parameters. */
  readonly path: string;
  readonly tag: RouteTag;
  readonly summary: string;
  readonly access: RouteAccess;
  readonly scope: RouteScope;
  readonly bodyRule?: RouteBodyRule;
  /** Members of the URL's query that mean something; absent: none. */
  readonly query?: TSchema;
  /** Null: whatever body comes is ignored, even one that isn't JSON (contract 1.1). */
  readonly body: TSchema | null;
  /** `documents` is 64 MiB by default, `standard` 2 MiB (contract 8). */
  readonly bodyLimit: "documents" | "standard";
  /** What is in `data`. */
  readonly answer: TSchema;
  /** Whether the members of `data` are repeated at the top level (contract 1.4). */
  readonly mirrored: boolean;
  /** Besides those that follow from access, scope and body. */
  readonly errors: readonly ErrorCode[];
}

export type OperationId =
  | "checkHealth"
  | "listIndexes"
  | "getAllIndexStats"
  | "createIndex"
  | "getIndex"
  | "getIndexStats"
  | "replaceIndex"
  | "patchIndex"
  | "deleteIndex"
  | "addDocuments"
  | "getDocument"
  | "deleteDocumentsByField"
  | "deleteDocumentsByQuery"
  | "deleteAllDocuments"
  | "deleteDocument"
  | "searchIndex"
  | "searchFederation"
  | "suggest"
  | "getSynonyms"
  | "addSynonyms"
  | "deleteSynonyms"
  | "deleteAllSynonyms"
  | "getStopwords"
  | "addStopwords"
  | "deleteStopwords"
  | "deleteAllStopwords"
  | "commitIndex"
  | "rollbackIndex"
  | "listFederations"
  | "listFederationsOfOrganization"
  | "getFederation"
  | "getFederationStats"
  | "createFederation"
  | "replaceFederation"
  | "deleteFederation"
  | "listKeys"
  | "createKey"
  | "deleteAllKeys"
  | "getKey"
  | "updateKey"
  | "deleteKey"
  | "listKeysOfApplication"
  | "listKeysOfOrganization"
  | "listKeysOfFederation"
  | "listKeysOfIndex"
  | "checkPermission";

const NO_KEY: RouteAccess = { kind: "public" };
const ANY_KEY_ALWAYS: RouteAccess = { kind: "any_key", evenIfOff: true };
const SEARCH = permission(PERMISSION.SEARCH);
const INGEST = permission(PERMISSION.INGEST);
const UPDATE_INDEX = permission(PERMISSION.UPDATE_INDEX);
const MODIFY_INDEX = permission(PERMISSION.MODIFY_INDEX);
const MANAGE_KEYS = permission(PERMISSION.MODIFY_AUTH | PERMISSION.ADMIN);
const MANAGE_KEYS_OR_OWN: RouteAccess = { ...MANAGE_KEYS, ownKey: true };

const QUERY_ERRORS: readonly ErrorCode[] = [
  "query_syntax",
  "unknown_field",
  "field_not_indexed",
  "invalid_field_value",
];

/** What most routes share, so that a row below says only what is its own. */
const PLAIN = { scope: "none", body: null, bodyLimit: "standard", mirrored: false, errors: [] } as const;
const ON_INDEX = { ...PLAIN, scope: "index", errors: ["index_not_found"] } as const;
const ON_DOCUMENTS = { ...ON_INDEX, tag: "Documents", access: INGEST, bodyLimit: "documents" } as const;
const ON_DICTIONARIES = { ...ON_INDEX, tag: "Dictionaries", access: INGEST } as const;
const ON_FEDERATIONS = { ...PLAIN, tag: "Federations", access: permission(PERMISSION.ADMIN) } as const;
const ON_KEYS = { ...PLAIN, tag: "Keys", access: MANAGE_KEYS } as const;

/** Every route there is: the server registers these and no others, documents them, and tests them. */
export const ROUTE_TABLE: readonly RouteRow[] = [
  {
    ...PLAIN,
    operationId: "checkHealth",
    method: "GET",
    path: "/healthcheck",
    tag: "Health",
    summary: "Says that the service is up",
    access: NO_KEY,
    answer: sentenceAnswer("service is healthy"),
  },

  {
    ...PLAIN,
    operationId: "listIndexes",
    method: "GET",
    path: "/index",
    tag: "Indexes",
    summary: "Lists the indexes in the key's scope",
    access: SEARCH,
    scope: "filtered",
    answer: indexNamesSchema,
  },
  {
    ...PLAIN,
    operationId: "getAllIndexStats",
    method: "GET",
    path: "/index/stats",
    tag: "Indexes",
    summary: "Counts the documents of every index in the key's scope",
    access: SEARCH,
    scope: "filtered",
    answer: allIndexStatsSchema,
  },
  {
    ...PLAIN,
    operationId: "createIndex",
    method: "POST",
    path: "/index",
    tag: "Indexes",
    summary: "Creates an index, or replaces it if the body says so",
    access: MODIFY_INDEX,
    scope: "body_index",
    bodyRule: "ai_enabled_needs_modify_index",
    body: indexBodySchema,
    answer: sentenceAnswer("index created"),
    errors: ["index_exists", "invalid_index", "invalid_schema"],
  },
  {
    ...ON_INDEX,
    operationId: "getIndex",
    method: "GET",
    path: "/index/:index_name",
    tag: "Indexes",
    summary: "Reads an index's schema and settings",
    access: UPDATE_INDEX,
    answer: indexViewSchema,
  },
  {
    ...ON_INDEX,
    operationId: "getIndexStats",
    method: "GET",
    path: "/index/:index_name/stats",
    tag: "Indexes",
    summary: "Counts an index's committed documents",
    access: UPDATE_INDEX,
    answer: indexStatsSchema,
  },
  {
    ...ON_INDEX,
    operationId: "replaceIndex",
    method: "PUT",
    path: "/index/:index_name",
    tag: "Indexes",
    summary: "Replaces an index's schema and removes its documents",
    access: UPDATE_INDEX,
    bodyRule: "ai_enabled_needs_modify_index",
    body: indexBodySchema,
    answer: sentenceAnswer("index updated"),
    errors: ["index_not_found", "invalid_index", "invalid_schema"],
  },
  {
    ...ON_INDEX,
    operationId: "patchIndex",
    method: "PATCH",
    path: "/index/:index_name",
    tag: "Indexes",
    summary: "Changes settings of an index and keeps its documents",
    access: UPDATE_INDEX,
    bodyRule: "ai_enabled_needs_modify_index",
    body: indexPatchSchema,
    answer: sentenceAnswer("index updated"),
    errors: ["index_not_found", "not_patchable", "invalid_schema"],
  },
  {
    ...ON_INDEX,
    operationId: "deleteIndex",
    method: "DELETE",
    path: "/index/:index_name",
    tag: "Indexes",
    summary: "Deletes an index with its documents",
    access: UPDATE_INDEX,
    answer: sentenceAnswer("index deleted"),
  },

  {
    ...ON_DOCUMENTS,
    operationId: "addDocuments",
    method: "POST",
    path: "/index/:index_name/documents",
    summary: "Adds documents; pending until commit",
    body: documentsBodySchema,
    answer: documentsAddedSchema,
    errors: ["index_not_found", "invalid_document"],
  },
  {
    ...ON_DOCUMENTS,
    operationId: "getDocument",
    method: "GET",
    path: "/index/:index_name/documents/:document_id",
    summary: "Reads one committed document by its internal id",
    answer: documentViewSchema,
    mirrored: true,
    errors: ["index_not_found", "document_not_found"],
  },
  {
    ...ON_DOCUMENTS,
    operationId: "deleteDocumentsByField",
    method: "DELETE",
    path: "/index/:index_name/documents",
    summary: "Deletes the documents with a value in a field; pending until commit",
    body: deleteByFieldBodySchema,
    answer: documentsRemovedSchema,
    errors: ["index_not_found", "unknown_field", "field_not_indexed", "invalid_field_value"],
  },
  {
    ...ON_DOCUMENTS,
    operationId: "deleteDocumentsByQuery",
    method: "DELETE",
    path: "/index/:index_name/documents/query",
    summary: "Deletes the documents that match a query; pending until commit",
    body: deleteByQueryBodySchema,
    answer: documentsRemovedSchema,
    errors: ["index_not_found", ...QUERY_ERRORS],
  },
  {
    ...ON_DOCUMENTS,
    operationId: "deleteAllDocuments",
    method: "DELETE",
    path: "/index/:index_name/documents/all",
    summary: "Deletes every document and keeps the index; pending until commit",
    answer: documentsRemovedSchema,
  },
  {
    ...ON_DOCUMENTS,
    operationId: "deleteDocument",
    method: "DELETE",
    path: "/index/:index_name/documents/:document_id",
    summary: "Deletes one document by its internal id; pending until commit",
    answer: documentsRemovedSchema,
    errors: ["index_not_found", "document_not_found"],
  },

  {
    ...ON_INDEX,
    operationId: "searchIndex",
    method: "POST",
    path: "/index/:index_name/search",
    tag: "Search",
    summary: "Searches an index",
    access: SEARCH,
    body: searchBodySchema,
    answer: searchAnswerSchema,
    errors: [
      "index_not_found",
      ...QUERY_ERRORS,
      "invalid_order_by",
      "limit_too_large",
      "minimum_should_match_too_large",
      "cursor_expired",
    ],
  },
  {
    ...ON_INDEX,
    operationId: "suggest",
    method: "GET",
    path: "/index/:index_name/suggest",
    tag: "Search",
    summary: "Extension: completes what someone types, from the index's own words and titles",
    access: SEARCH,
    query: suggestQuerySchema,
    answer: suggestAnswerSchema,
    errors: ["index_not_found", "limit_too_large"],
  },
  {
    ...PLAIN,
    operationId: "searchFederation",
    method: "POST",
    path: "/federation/:federation_name/search",
    tag: "Search",
    summary: "Searches the indexes of a federation as one",
    access: SEARCH,
    scope: "federation",
    body: searchBodySchema,
    answer: searchAnswerSchema,
    errors: [
      "federation_not_found",
      "query_syntax",
      "field_not_indexed",
      "invalid_field_value",
      "invalid_order_by",
      "limit_too_large",
      "minimum_should_match_too_large",
      "cursor_expired",
    ],
  },

  {
    ...ON_DICTIONARIES,
    operationId: "getSynonyms",
    method: "GET",
    path: "/index/:index_name/synonyms",
    summary: "Lists the synonyms of an index",
    access: SEARCH,
    answer: synonymListsSchema,
    mirrored: true,
  },
  {
    ...ON_DICTIONARIES,
    operationId: "addSynonyms",
    method: "POST",
    path: "/index/:index_name/synonyms",
    summary: "Adds synonyms; in force at once",
    body: synonymEntriesSchema,
    answer: sentenceAnswer("synonyms added"),
  },
  {
    ...ON_DICTIONARIES,
    operationId: "deleteSynonyms",
    method: "DELETE",
    path: "/index/:index_name/synonyms",
    summary: "Deletes synonyms, by key or by pair",
    body: synonymDeletesSchema,
    answer: sentenceAnswer("synonyms deleted"),
  },
  {
    ...ON_DICTIONARIES,
    operationId: "deleteAllSynonyms",
    method: "DELETE",
    path: "/index/:index_name/synonyms/all",
    summary: "Deletes all synonyms of an index",
    answer: sentenceAnswer("all synonyms deleted"),
  },
  {
    ...ON_DICTIONARIES,
    operationId: "getStopwords",
    method: "GET",
    path: "/index/:index_name/stopwords",
    summary: "Lists the stopwords in force: the language's and the custom ones",
    access: SEARCH,
    answer: stopwordsSchema,
  },
  {
    ...ON_DICTIONARIES,
    operationId: "addStopwords",
    method: "POST",
    path: "/index/:index_name/stopwords",
    summary: "Adds custom stopwords; in force at once",
    body: stopwordsSchema,
    answer: sentenceAnswer("stopwords added"),
  },
  {
    ...ON_DICTIONARIES,
    operationId: "deleteStopwords",
    method: "DELETE",
    path: "/index/:index_name/stopwords",
    summary: "Deletes custom stopwords; words of the language's list stay",
    body: stopwordsSchema,
    answer: sentenceAnswer("stopwords deleted"),
  },
  {
    ...ON_DICTIONARIES,
    operationId: "deleteAllStopwords",
    method: "DELETE",
    path: "/index/:index_name/stopwords/all",
    summary: "Deletes all custom stopwords",
    answer: sentenceAnswer("all stopwords deleted"),
  },

  {
    ...ON_INDEX,
    operationId: "commitIndex",
    method: "POST",
    path: "/index/:index_name/commit",
    tag: "Transactions",
    summary: "Makes all pending writes durable and visible",
    access: INGEST,
    answer: sentenceAnswer("commit complete"),
  },
  {
    ...ON_INDEX,
    operationId: "rollbackIndex",
    method: "POST",
    path: "/index/:index_name/rollback",
    tag: "Transactions",
    summary: "Drops all pending writes",
    access: INGEST,
    answer: sentenceAnswer("rollback complete"),
  },

  {
    ...ON_FEDERATIONS,
    operationId: "listFederations",
    method: "GET",
    path: "/federation",
    summary: "Lists all federations",
    answer: federationListSchema,
  },
  {
    ...ON_FEDERATIONS,
    operationId: "createFederation",
    method: "POST",
    path: "/federation",
    summary: "Creates a federation, or replaces the one of that name",
    body: federationBodySchema,
    answer: federationSchema,
    errors: ["invalid_federation"],
  },
  {
    ...ON_FEDERATIONS,
    operationId: "listFederationsOfOrganization",
    method: "GET",
    path: "/federation/organization/:organization_id",
    summary: "Lists an organization's federations for which it has a key that may search them",
    answer: federationListSchema,
  },
  {
    ...ON_FEDERATIONS,
    operationId: "getFederation",
    method: "GET",
    path: "/federation/:federation_name",
    summary: "Reads a federation",
    answer: federationSchema,
    mirrored: true,
    errors: ["federation_not_found"],
  },
  {
    ...ON_FEDERATIONS,
    operationId: "getFederationStats",
    method: "GET",
    path: "/federation/:federation_name/stats",
    summary: "Counts the committed documents of a federation's indexes",
    answer: federationStatsSchema,
    mirrored: true,
    errors: ["federation_not_found"],
  },
  {
    ...ON_FEDERATIONS,
    operationId: "replaceFederation",
    method: "PUT",
    path: "/federation/:federation_name",
    summary: "Replaces a federation",
    body: federationBodySchema,
    answer: federationSchema,
    errors: ["federation_not_found", "invalid_federation"],
  },
  {
    ...ON_FEDERATIONS,
    operationId: "deleteFederation",
    method: "DELETE",
    path: "/federation/:federation_name",
    summary: "Deletes a federation and leaves its indexes",
    answer: sentenceAnswer("federation deleted"),
    errors: ["federation_not_found"],
  },

  {
    ...ON_KEYS,
    operationId: "listKeys",
    method: "GET",
    path: "/auth/key",
    summary: "Lists all stored keys",
    answer: accessKeyListSchema,
  },
  {
    ...ON_KEYS,
    operationId: "createKey",
    method: "POST",
    path: "/auth/key",
    summary: "Creates a key",
    body: keyCreateBodySchema,
    answer: accessKeySchema,
    mirrored: true,
  },
  {
    ...ON_KEYS,
    operationId: "deleteAllKeys",
    method: "DELETE",
    path: "/auth/key",
    summary: "Deletes all stored keys; configured ones keep working",
    answer: sentenceAnswer("all keys deleted"),
  },
  {
    ...ON_KEYS,
    operationId: "getKey",
    method: "GET",
    path: "/auth/key/:key",
    summary: "Reads a key; any key may read itself",
    access: MANAGE_KEYS_OR_OWN,
    answer: accessKeySchema,
    mirrored: true,
    errors: ["key_not_found"],
  },
  {
    ...ON_KEYS,
    operationId: "updateKey",
    method: "POST",
    path: "/auth/key/:key",
    summary: "Changes the members of a key that the body names",
    body: keyUpdateBodySchema,
    answer: accessKeySchema,
    mirrored: true,
    errors: ["key_not_found"],
  },
  {
    ...ON_KEYS,
    operationId: "deleteKey",
    method: "DELETE",
    path: "/auth/key/:key",
    summary: "Deletes a key; any key may delete itself",
    access: MANAGE_KEYS_OR_OWN,
    answer: sentenceAnswer("key deleted"),
    errors: ["key_not_found"],
  },
  {
    ...ON_KEYS,
    operationId: "listKeysOfApplication",
    method: "GET",
    path: "/auth/application/:id",
    summary: "Lists the keys of an application",
    answer: accessKeyListSchema,
  },
  {
    ...ON_KEYS,
    operationId: "listKeysOfOrganization",
    method: "GET",
    path: "/auth/organization/:id",
    summary: "Lists the keys of an organization",
    answer: accessKeyListSchema,
  },
  {
    ...ON_KEYS,
    operationId: "listKeysOfFederation",
    method: "GET",
    path: "/auth/federation/:name",
    summary: "Lists the keys tied to a federation",
    answer: accessKeyListSchema,
    errors: ["federation_not_found"],
  },
  {
    ...ON_KEYS,
    operationId: "listKeysOfIndex",
    method: "GET",
    path: "/auth/index/:name",
    summary: "Lists the keys whose scope holds an index",
    answer: accessKeyListSchema,
    errors: ["index_not_found"],
  },
  {
    ...ON_KEYS,
    operationId: "checkPermission",
    method: "GET",
    path: "/auth/key/check/:permission",
    summary: "Says whether the caller's key holds all bits of a mask",
    access: ANY_KEY_ALWAYS,
    answer: Type.String({ examples: ["permission granted"] }),
  },
];

function permission(bits: number): RouteAccess & { kind: "permission" } {
  return { kind: "permission", bits, ownKey: false };
}
