import { PERMISSION } from "../../contract/access-key.js";
import type { ClaimedScope } from "../../contract/measure-body.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog, FederationLookup } from "../../ports/catalog.js";
import type { VisibleEvents } from "../../ports/event-store.js";
import type { Authority } from "../authority/authority.js";
import { memberNamesOf, requireFederationInScope, requireIndexInScope } from "../authority/scope-rule.js";
import { indexNameOf } from "../indexes/require-index.js";

/** What measuring knows of indexes by other names. */
export type MeasuredCatalog = FederationLookup & Pick<Catalog, "alias">;

/**
 * That the caller may send events about what these are about (contract 2.4), and say of past ones when
 * they happened: who may do that can write history, so only keys that hold ADMIN.
 *
 * @throws FindlingError `index_not_allowed`, `insufficient_permissions`, naming the event's place
 */
export function requireScopes(
  scopes: readonly ClaimedScope[],
  authority: Authority,
  catalog: MeasuredCatalog,
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

function requireScope(scope: ClaimedScope, authority: Authority, catalog: MeasuredCatalog): void {
  requireMeasuredInScope(scope.indexNames, authority, catalog);
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

/**
 * An alias may be named by whom it, or the index behind it, is in scope.
 *
 * @throws FindlingError `index_not_allowed`
 */
export function requireMeasuredInScope(
  names: readonly string[],
  authority: Authority,
  catalog: MeasuredCatalog,
): void {
  for (const name of names)
    if (!authority.coversIndex(indexNameOf(catalog, name))) requireIndexInScope(authority, name);
}

/** Indexes by their own names, as events have them: those of an alias are its index's. */
export function measuredNames(names: readonly string[], catalog: MeasuredCatalog): readonly string[] {
  return [...new Set(names.map((name) => indexNameOf(catalog, name)))];
}

/** A selection of events with indexes in place of aliases. */
export function namedByIndex<Selection extends { readonly indexNames?: readonly string[] }>(
  selection: Selection,
  catalog: MeasuredCatalog,
): Selection {
  const { indexNames } = selection;
  return indexNames === undefined
    ? selection
    : { ...selection, indexNames: measuredNames(indexNames, catalog) };
}

/** What of the events the caller may see; undefined: everything. */
export function visibleEvents(authority: Authority, catalog: MeasuredCatalog): VisibleEvents | undefined {
  if (authority.isUnscoped) return undefined;
  const federations = catalog
    .federations()
    .map(({ name }) => name)
    .filter((name) => authority.coversFederation(name, memberNamesOf(catalog, name)));
  const own = authority.federationName;
  return {
    indexNames: measuredNames([...authority.allowedIndexes], catalog),
    federationNames: [...new Set(own === undefined ? federations : [...federations, own])],
  };
}
