import type { AccessKey } from "../../contract/access-key.js";
import { FindlingError } from "../../errors/index.js";
import { ALL_INDEXES, type Authority } from "./authority.js";

/**
 * Nobody grants what they don't hold (contract 2.2): every bit, index and federation of the key
 * must be the caller's own. A change is checked before and after, so that a stronger key can't be
 * taken over either.
 *
 * @throws FindlingError `insufficient_permissions`
 */
export function requireGrantable(key: AccessKey, authority: Authority): void {
  if (!authority.holds(key.permissions)) {
    throw refusal(`permission ${key.permissions & ~authority.permissions}`);
  }
  const foreign = key.allowed_indexes.find((name) =>
    name === ALL_INDEXES ? !authority.isUnscoped : !authority.coversIndex(name),
  );
  if (foreign !== undefined) throw refusal(foreign === ALL_INDEXES ? "every index" : `index '${foreign}'`);
  if (key.federation_name !== undefined && !authority.coversFederation(key.federation_name, undefined)) {
    throw refusal(`federation '${key.federation_name}'`);
  }
}

function refusal(what: string): FindlingError {
  return new FindlingError(
    "insufficient_permissions",
    `an access key may not grant ${what}, which it does not hold itself`,
  );
}
