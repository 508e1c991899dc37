import { PERMISSION } from "../../contract/access-key.js";
import type { ClaimedScope } from "../../contract/measure-body.js";
import { FindlingError } from "../../errors/index.js";
import type { FederationLookup } from "../../ports/catalog.js";
import type { VisibleEvents } from "../../ports/event-store.js";
import type { Authority } from "../keys/authority.js";
import { memberNamesOf, requireFederationInScope, requireIndexInScope } from "../keys/scope-rule.js";

/**
 * That the caller may send events about what these are about (contract 2.4), and say of past ones when
 * they happened: who may do that can write history, so only keys that hold ADMIN.
 *
 * @throws FindlingError `index_not_allowed`, `insufficient_permissions`, naming the event's place
 */
export function requireScopes(
  scopes: readonly ClaimedScope[],
  authority: Authority,
  catalog: FederationLookup,
): void {
  for (const scope of scopes) {
    try {
      requireScope(scope, authority, catalog);
    } catch (error) {
      if (!(error instanceof FindlingError) || scope.path === "") throw error;
      const message = `'${scope.path}': ${error.message}`;
      throw new FindlingError(error.code, message, { items: [{ path: scope.path, message: error.message }] });
    }
  }
}

function requireScope(scope: ClaimedScope, authority: Authority, catalog: FederationLookup): void {
  for (const name of scope.indexNames) requireIndexInScope(authority, name);
  const { federationName } = scope;
  if (scope.indexNames.length === 0 && federationName !== undefined) {
    requireFederationInScope(authority, federationName, memberNamesOf(catalog, federationName));
  }
  if (scope.isBackdated && !authority.holds(PERMISSION.ADMIN)) {
    throw new FindlingError(
      "insufficient_permissions",
      `'received_at' is for keys with the permission ADMIN (${PERMISSION.ADMIN}); leave it out and the server takes the time of the request`,
    );
  }
}

/** What of the events the caller may see; undefined: everything. */
export function visibleEvents(authority: Authority, catalog: FederationLookup): VisibleEvents | undefined {
  if (authority.isUnscoped) return undefined;
  const federations = catalog
    .federations()
    .map(({ name }) => name)
    .filter((name) => authority.coversFederation(name, memberNamesOf(catalog, name)));
  const own = authority.federationName;
  return {
    indexNames: [...authority.allowedIndexes],
    federationNames: [...new Set(own === undefined ? federations : [...federations, own])],
  };
}
