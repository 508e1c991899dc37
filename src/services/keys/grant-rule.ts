import { FindlingError } from "../../errors/index.js";
import type { CatalogKey } from "../../ports/catalog.js";
import { ALL_INDEXES, type Authority } from "../authority/authority.js";

/**
 * Nobody grants what they don't hold (contract 2.2): every bit, index and federation of the key
 * must be the caller's own, and it may last no longer. A change is checked before and after, so that a stronger key can't be
 * taken over either.
 *
 * @throws FindlingError `insufficient_permissions`
 */
export function requireGrantable(key: Rights, authority: Authority): void {
  const missing = missingRight(key, authority);
  if (missing === undefined) return;
  throw new FindlingError(
    "insufficient_permissions",
    `an access key may not grant ${missing}, which it does not hold itself`,
  );
}

/**
 * Whoever has a key can do all that it can, so only those see it whole who hold all of its rights.
 */
export function holdsRightsOf(key: Rights, authority: Authority): boolean {
  return missingRight(key, authority) === undefined;
}

/** @throws FindlingError `insufficient_permissions` unless the caller holds all rights of the key */
export function requireDeletable(key: Rights, authority: Authority): void {
  const missing = missingRight(key, authority);
  if (missing === undefined) return;
  throw new FindlingError(
    "insufficient_permissions",
    `an access key may not delete one that holds ${missing}, which it does not hold itself`,
  );
}

type Rights = Pick<CatalogKey, "permissions" | "allowed_indexes" | "federation_name" | "expires_at">;

/**
 * The first right of the key, in words, that isn't the caller's own. A federation is its own by name or by every
 * index: one that it reaches by today's members may have others tomorrow.
 */
function missingRight(key: Rights, authority: Authority): string | undefined {
  if (!authority.holds(key.permissions)) return `permission ${key.permissions & ~authority.permissions}`;
  const foreign = key.allowed_indexes.find((name) =>
    name === ALL_INDEXES ? !authority.isUnscoped : !authority.coversIndex(name),
  );
  if (foreign !== undefined) return foreign === ALL_INDEXES ? "every index" : `index '${foreign}'`;
  const { federation_name: federation } = key;
  if (federation !== undefined && !authority.coversFederation(federation, undefined))
    return `federation '${federation}'`;
  const expiresMs = key.expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(key.expires_at);
  if (expiresMs > authority.expiresMs) return `validity after ${new Date(authority.expiresMs).toISOString()}`;
  return undefined;
}
