import { PERMISSION } from "../../contract/access-key.js";
import { FindlingError } from "../../errors/index.js";
import type { FederationLookup } from "../../ports/catalog.js";
import type { Authority } from "./authority.js";

/** @throws FindlingError `insufficient_permissions` naming the bits that are missing */
export function requirePermission(authority: Authority, bits: number): void {
  if (authority.holds(bits)) return;
  const missing = Object.entries(PERMISSION)
    .filter(([, bit]) => (bits & bit) !== 0 && !authority.holds(bit))
    .map(([name, bit]) => `${name} (${bit})`);
  throw new FindlingError(
    "insufficient_permissions",
    `the access key lacks the permission ${missing.join(" and ")}`,
  );
}

/** @throws FindlingError `index_not_allowed`, whether or not the index exists */
export function requireIndexInScope(authority: Authority, name: string): void {
  if (authority.coversIndex(name)) return;
  throw new FindlingError(
    "index_not_allowed",
    `index '${name}' is not among the allowed indexes of the access key`,
  );
}

/** @throws FindlingError `index_not_allowed` unless every index is in scope */
export function requireEverythingInScope(authority: Authority): void {
  if (authority.isUnscoped) return;
  throw new FindlingError(
    "index_not_allowed",
    "this is about every index, and the access key's scope is not; use a key whose allowed indexes are '*'",
  );
}

/**
 * That the federation may be searched: the key is tied to it or has all of its indexes in scope.
 *
 * @throws FindlingError `index_not_allowed`, whether or not the federation exists
 */
export function requireFederationInScope(
  authority: Authority,
  name: string,
  indexNames: readonly string[] | undefined,
): void {
  if (authority.coversFederation(name, indexNames)) return;
  throw new FindlingError("index_not_allowed", `federation '${name}' is not in the scope of the access key`);
}

/**
 * That the federation may be read and changed: all of its indexes are in scope, by their names where they have
 * been deleted since. Being tied to it is not enough.
 *
 * @throws FindlingError `index_not_allowed`, whether or not the federation exists
 */
export function requireMembersInScope(
  authority: Authority,
  name: string,
  indexNames: readonly string[] | undefined,
): void {
  if (authority.coversIndexes(indexNames)) return;
  throw new FindlingError(
    "index_not_allowed",
    `federation '${name}' has indexes that are not among the allowed indexes of the access key, or does not exist`,
  );
}

/** Names of a federation's indexes, deleted ones included; undefined if there is no such federation. */
export function memberNamesOf(
  catalog: FederationLookup,
  federationName: string,
): readonly string[] | undefined {
  return catalog.federation(federationName)?.index_configurations.map(({ name }) => name);
}
