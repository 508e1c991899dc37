import type { RouteRow } from "../../contract/route-table.js";
import { Authority } from "../../services/authority/authority.js";
import type { KeyService } from "../../services/keys/key-service.js";

/** What of a request decides who it is from and what it is about. */
export interface RequestIdentity {
  readonly authorizationHeader: string | undefined;
  /** What the path gives, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Callers of routes that need no key. */
const NOBODY = Authority.ofKey({
  id: "",
  name: "",
  permissions: 0,
  allowed_indexes: [],
  status: "inactive",
});

/**
 * The caller's authority, once it is known to suffice for the route and what its path names; one that
 * may do nothing where the route needs no key. Runs before anything of the body is read.
 *
 * @throws FindlingError 401: `missing_key`, `invalid_key`, `inactive_key`; 403: `insufficient_permissions`,
 *   `index_not_allowed`
 */
export function authorize(keys: KeyService, row: RouteRow, request: RequestIdentity): Authority {
  if (row.access.kind === "public") return NOBODY;
  const evenIfOff = row.access.kind === "any_key" && row.access.evenIfOff;
  const authority = keys.authenticate(request.authorizationHeader, { evenIfOff });
  const { index_name: indexName, federation_name: federationName, key } = request.parameters;
  keys.authorize(authority, row, { indexName, federationName, key });
  return authority;
}
