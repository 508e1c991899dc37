// Contract 2.2 to 2.4 once more, as plainly as it can be said: what the matrices hold the server against.
import type { OperationId } from "../../src/contract/route-table.js";

/** What a test's key may do, as it is sent to `POST /auth/key`. */
export interface Grant {
  readonly permissions: number;
  readonly allowed_indexes: readonly string[];
  readonly federation_name?: string;
  /** In UTC, of a year with four digits. */
  readonly expires_at?: string;
}

/** What each operation is about, so that a new one can't come without somebody saying so. */
export type Resource = "federation" | "keys" | "federation and keys" | "neither";

export const RESOURCE_OF: Readonly<Record<OperationId, Resource>> = {
  checkHealth: "neither",
  checkLiveness: "neither",
  checkReadiness: "neither",
  getMetrics: "neither",
  listIndexes: "neither",
  getAllIndexStats: "neither",
  createIndex: "neither",
  getIndex: "neither",
  getIndexStats: "neither",
  replaceIndex: "neither",
  patchIndex: "neither",
  patchIndexSettings: "neither",
  patchIndexFields: "neither",
  deleteIndex: "neither",
  addDocuments: "neither",
  getDocument: "neither",
  deleteDocumentsByField: "neither",
  deleteDocumentsByQuery: "neither",
  deleteAllDocuments: "neither",
  deleteDocument: "neither",
  getDocumentByKey: "neither",
  listAliases: "neither",
  putAlias: "neither",
  deleteAlias: "neither",
  swapAliases: "neither",
  updateDocuments: "neither",
  deleteDocumentByKey: "neither",
  searchIndex: "neither",
  searchFederation: "federation",
  suggest: "neither",
  getCapabilities: "neither",
  summarizeSearch: "neither",
  summarizeSearchAsText: "neither",
  getSynonyms: "neither",
  addSynonyms: "neither",
  deleteSynonyms: "neither",
  deleteAllSynonyms: "neither",
  getStopwords: "neither",
  addStopwords: "neither",
  deleteStopwords: "neither",
  deleteAllStopwords: "neither",
  commitIndex: "neither",
  rollbackIndex: "neither",
  listFederations: "federation",
  listFederationsOfOrganization: "federation",
  getFederation: "federation",
  getFederationStats: "federation",
  createFederation: "federation",
  replaceFederation: "federation",
  deleteFederation: "federation",
  getMeasureStatus: "neither",
  recordMeasureEvent: "federation",
  recordMeasureBatch: "federation",
  // What is counted of federations is held against scopes in measure-dashboards.test.ts.
  getSummaryDashboard: "neither",
  getConversionDashboard: "neither",
  getUsageDashboard: "neither",
  getBreakdownDashboard: "neither",
  exportMeasureEvents: "neither",
  deleteMeasureUser: "neither",
  listKeys: "keys",
  createKey: "keys",
  deleteAllKeys: "keys",
  getKey: "keys",
  updateKey: "keys",
  deleteKey: "keys",
  listKeysOfApplication: "keys",
  listKeysOfOrganization: "keys",
  listKeysOfFederation: "federation and keys",
  listKeysOfIndex: "keys",
  checkPermission: "neither",
  getOverview: "neither",
  listSlowSearches: "neither",
  getLog: "neither",
  getConfiguration: "neither",
  describeCaller: "neither",
  signInWithCode: "neither",
  listBackups: "neither",
  createBackup: "neither",
  verifyBackup: "neither",
  restoreIndex: "neither",
  callMcp: "neither",
};

const SEARCH = 1;
const ADMIN = 63;

export function isAdmin({ permissions }: Grant): boolean {
  return (permissions & ADMIN) === ADMIN;
}

export function holdsBits(grant: Grant, bits: number): boolean {
  return isAdmin(grant) || (grant.permissions & bits) === bits;
}

export function hasIndex(grant: Grant, name: string): boolean {
  return isAdmin(grant) || grant.allowed_indexes.some((allowed) => allowed === "*" || allowed === name);
}

export function hasEverything(grant: Grant): boolean {
  return isAdmin(grant) || grant.allowed_indexes.includes("*");
}

/** Whether a federation may be made of these, read, replaced or deleted. Null: there is none, so nobody knows its indexes. */
export function mayManage(grant: Grant, members: readonly string[] | null): boolean {
  if (hasEverything(grant)) return true;
  return members?.every((name) => hasIndex(grant, name)) ?? false;
}

export function maySearch(grant: Grant, federation: string, members: readonly string[] | null): boolean {
  return holdsBits(grant, SEARCH) && isInReach(grant, federation, members);
}

/** By its own name or by all of its indexes. */
export function isInReach(grant: Grant, federation: string, members: readonly string[] | null): boolean {
  return grant.federation_name === federation || mayManage(grant, members);
}

/** Whether the first may do whatever the second may: show it, change it, delete it, make it. */
export function holdsAllOf(caller: Grant, other: Grant): boolean {
  if (!holdsBits(caller, other.permissions)) return false;
  if (!other.allowed_indexes.every((name) => (name === "*" ? hasEverything(caller) : hasIndex(caller, name))))
    return false;
  const NEVER = "9999";
  if ((caller.expires_at ?? NEVER) < (other.expires_at ?? NEVER)) return false;
  const { federation_name: tie } = other;
  return tie === undefined || tie === caller.federation_name || hasEverything(caller);
}
