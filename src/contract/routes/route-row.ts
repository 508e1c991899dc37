import type { TSchema } from "typebox";
import type { ErrorCode } from "../../errors/index.js";

/** Who may call a route (contract 2.3). */
export type RouteAccess =
  /** No key; one that is sent is not checked. */
  | { readonly kind: "public" }
  /** Any active key. `evenIfOff`: also where authentication is switched off. */
  | { readonly kind: "any_key"; readonly evenIfOff: boolean }
  /** All of the bits; with `ownKey`, any active key where the path's `:key` is the caller's own. */
  | {
      readonly kind: "permission";
      readonly bits: number;
      readonly ownKey: boolean;
      /** Needed too where the operator asks for it (strict summary permission). */
      readonly bitsIfStrict?: number;
      /** Enough in place of `bits` where the operator lets read keys measure. */
      readonly bitsIfReadKeysMeasure?: number;
    };

/**
 * What the key's scope is held against (contract 2.4): the path's index or federation, nothing, or
 * the answer, which then lists only what is in scope. `federation`: its name or all of its indexes must be in
 * scope; `federation_indexes`: all of its indexes, whatever name the key is tied to. `body_index`: the indexes
 * named in the body, which the service checks. `everything`: the answer is about all indexes, so the scope must
 * hold all.
 */
export type RouteScope =
  | "index"
  | "federation"
  | "federation_indexes"
  | "none"
  | "filtered"
  | "body_index"
  | "everything";

/** A rule on the body that changes the permission: `ai_enabled` in it needs bit 16 too; the service checks it. */
export type RouteBodyRule = "ai_enabled_needs_modify_index";

/** Operations by tag; each names its handler and the operation in the OpenAPI document. */
export interface TaggedOperations {
  readonly Health: "checkHealth" | "checkLiveness" | "checkReadiness" | "getMetrics";
  readonly Indexes:
    | "listIndexes"
    | "getAllIndexStats"
    | "createIndex"
    | "getIndex"
    | "getIndexStats"
    | "replaceIndex"
    | "patchIndex"
    | "patchIndexSettings"
    | "patchIndexFields"
    | "deleteIndex"
    | "listAliases"
    | "putAlias"
    | "deleteAlias"
    | "swapAliases";
  readonly Documents:
    | "addDocuments"
    | "updateDocuments"
    | "getDocument"
    | "getDocumentByKey"
    | "deleteDocumentByKey"
    | "deleteDocumentsByField"
    | "deleteDocumentsByQuery"
    | "deleteAllDocuments"
    | "deleteDocument";
  readonly Search:
    | "searchIndex"
    | "suggest"
    | "searchFederation"
    | "getCapabilities"
    | "summarizeSearch"
    | "summarizeSearchAsText";
  readonly Dictionaries:
    | "getSynonyms"
    | "addSynonyms"
    | "deleteSynonyms"
    | "deleteAllSynonyms"
    | "getStopwords"
    | "addStopwords"
    | "deleteStopwords"
    | "deleteAllStopwords";
  readonly Transactions: "commitIndex" | "rollbackIndex";
  readonly Federations:
    | "listFederations"
    | "createFederation"
    | "listFederationsOfOrganization"
    | "getFederation"
    | "getFederationStats"
    | "replaceFederation"
    | "deleteFederation";
  readonly Measure:
    | "getMeasureStatus"
    | "recordMeasureEvent"
    | "recordMeasureBatch"
    | "getSummaryDashboard"
    | "getConversionDashboard"
    | "getUsageDashboard"
    | "getBreakdownDashboard"
    | "exportMeasureEvents"
    | "deleteMeasureUser";
  readonly Keys:
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
    | "checkPermission"
    | "describeCaller";
  readonly Administration:
    | "getOverview"
    | "listSlowSearches"
    | "getLog"
    | "getConfiguration"
    | "signInWithCode";
  readonly Backups: "listBackups" | "createBackup" | "verifyBackup" | "restoreIndex";
  readonly MCP: "callMcp";
}

export type RouteTag = keyof TaggedOperations;
export type OperationId = TaggedOperations[RouteTag];

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
  /** What is in `data`; of a stream, all of it. */
  readonly answer: TSchema;
  /** What is in `data` of a 202, where the route may answer before it is done. */
  readonly accepted?: TSchema;
  /** Absent: JSON in its envelope. */
  readonly answerType?:
    | "text/event-stream"
    | "text/plain"
    | "text/plain; version=0.0.4"
    | "application/x-ndjson"
    | "application/json; text/event-stream";
  /** Whether the members of `data` are repeated at the top level (contract 1.4). */
  readonly mirrored: boolean;
  /** Besides those that follow from access, scope and body. */
  readonly errors: readonly ErrorCode[];
}
