import { type AccessKey, PERMISSION } from "../../contract/access-key.js";
import { parseKeyBody } from "../../contract/key-body.js";
import type { RouteRow } from "../../contract/route-table.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog } from "../../ports/catalog.js";
import { requireFederation } from "../federations/require-federation.js";
import { requireIndex } from "../indexes/require-index.js";
import { ReadWriteLock } from "../locks/read-write-lock.js";
import { ALL_INDEXES, Authority } from "./authority.js";
import { type ConfiguredKey, ConfiguredKeys } from "./configured-keys.js";
import { generateKey } from "./generate-key.js";
import { requireGrantable } from "./grant-rule.js";
import {
  memberNamesOf,
  requireEverythingInScope,
  requireFederationInScope,
  requireIndexInScope,
  requireMembersInScope,
  requirePermission,
} from "./scope-rule.js";

export interface KeyServiceOptions {
  readonly configuredKeys: readonly ConfiguredKey[];
  /** Off: every request may do everything (contract 2.1). */
  readonly authenticationEnabled: boolean;
  /** On: summaries need the permission LLM_RAG_SUMMARIES, too (contract 2.3). */
  readonly strictSummaryPermission?: boolean;
  /** On: the permission SEARCH is enough to send usage events (contract 2.3). */
  readonly measureAcceptsReadKeys?: boolean;
}

/** What a request's path names, for the check against the caller's scope. */
export interface RequestTarget {
  readonly indexName?: string | undefined;
  readonly federationName?: string | undefined;
  /** The `:key` of the path. */
  readonly key?: string | undefined;
}

const LETTER_B = 0x62;
const TO_SMALL = 0x20;

/** All permissions together. */
const HIGHEST_MASK = 127;

const FIRST_KEYS = [
  { name: "admin", permissions: HIGHEST_MASK },
  { name: "ingest", permissions: 15 },
  { name: "read", permissions: PERMISSION.SEARCH },
] as const;

/** Who is calling, what it may do, and the keys themselves (contract 2, 3.9). */
export class KeyService {
  readonly #catalog: Catalog;
  readonly #configuredKeys: ConfiguredKeys;
  readonly #authenticationEnabled: boolean;
  readonly #strictSummaryPermission: boolean;
  readonly #measureAcceptsReadKeys: boolean;
  /** Changes read and then write: in turn, or a change could bring a deleted key back. */
  readonly #changes = new ReadWriteLock();

  constructor(catalog: Catalog, options: KeyServiceOptions) {
    this.#catalog = catalog;
    this.#configuredKeys = new ConfiguredKeys(options.configuredKeys);
    this.#authenticationEnabled = options.authenticationEnabled;
    this.#strictSummaryPermission = options.strictSummaryPermission ?? false;
    this.#measureAcceptsReadKeys = options.measureAcceptsReadKeys ?? false;
  }

  /**
   * The authority of a request by its Authorization header: the key alone, or after `Bearer`.
   *
   * @throws FindlingError `missing_key`, `invalid_key`, `inactive_key`
   */
  authenticate(headerValue: string | undefined, options: { readonly evenIfOff?: boolean } = {}): Authority {
    if (!this.#authenticationEnabled && options.evenIfOff !== true) return Authority.unrestricted();
    const value = keyOf(headerValue);
    if (value === "") {
      throw new FindlingError("missing_key", "the Authorization header with an access key is missing");
    }
    const configured = this.#configuredKeys.authorityOf(value);
    if (configured !== undefined) return configured;
    const key = this.#catalog.key(value);
    if (key === undefined) throw new FindlingError("invalid_key", "the access key is not known");
    if (key.status === "inactive") throw new FindlingError("inactive_key", "the access key is inactive");
    return Authority.ofKey(key);
  }

  /**
   * Checks the caller's bits and scope against a route and what its path names. Rules that depend
   * on the body are checked by the service that reads it.
   *
   * @throws FindlingError `insufficient_permissions`, `index_not_allowed`
   */
  authorize(authority: Authority, route: RouteRow, target: RequestTarget = {}): void {
    if (route.access.kind !== "permission") return;
    if (route.access.ownKey && target.key !== undefined && target.key === authority.key) return;
    const { bits, bitsIfStrict = 0 } = route.access;
    if (!this.#mayMeasure(authority, route)) {
      requirePermission(authority, this.#strictSummaryPermission ? bits | bitsIfStrict : bits);
    }
    if (route.scope === "index") requireIndexInScope(authority, target.indexName ?? "");
    if (route.scope === "everything") requireEverythingInScope(authority);
    const { federationName = "" } = target;
    if (route.scope === "federation") {
      requireFederationInScope(authority, federationName, memberNamesOf(this.#catalog, federationName));
    }
    if (route.scope === "federation_indexes") {
      requireMembersInScope(authority, federationName, memberNamesOf(this.#catalog, federationName));
    }
  }

  /** Whether the operator's word lets the caller send usage events without the route's own bits. */
  #mayMeasure(authority: Authority, { access }: RouteRow): boolean {
    if (!this.#measureAcceptsReadKeys || access.kind !== "permission") return false;
    return access.bitsIfReadKeysMeasure !== undefined && authority.holds(access.bitsIfReadKeysMeasure);
  }

  /** Creates one key of each kind if there is neither a stored nor a configured one (contract 2.1). */
  async ensureFirstKeys(): Promise<readonly AccessKey[]> {
    if (!this.#configuredKeys.isEmpty || this.#catalog.keys().length > 0) return [];
    const keys = FIRST_KEYS.map(
      ({ name, permissions }): AccessKey => ({
        key: generateKey(),
        name,
        permissions,
        allowed_indexes: [ALL_INDEXES],
        status: "active",
      }),
    );
    await this.#catalog.putKeys(keys);
    return keys;
  }

  list(): readonly AccessKey[] {
    return this.#catalog.keys();
  }

  listOfApplication(id: string): readonly AccessKey[] {
    return this.#catalog.keys().filter((key) => key.application_id?.toString() === id);
  }

  listOfOrganization(id: string): readonly AccessKey[] {
    return this.#catalog.keys().filter((key) => key.organization_id?.toString() === id);
  }

  /** @throws FindlingError `federation_not_found` */
  listOfFederation(name: string): readonly AccessKey[] {
    requireFederation(this.#catalog, name);
    return this.#catalog.keys().filter((key) => key.federation_name === name);
  }

  /** @throws FindlingError `index_not_found` */
  listOfIndex(name: string): readonly AccessKey[] {
    requireIndex(this.#catalog, name);
    return this.#catalog
      .keys()
      .filter((key) => key.allowed_indexes.includes(name) || key.allowed_indexes.includes(ALL_INDEXES));
  }

  /** @throws FindlingError `key_not_found` */
  get(value: string): AccessKey {
    const key = this.#catalog.key(value);
    if (key === undefined) throw new FindlingError("key_not_found", "there is no such access key");
    return key;
  }

  /** @throws FindlingError `invalid_request`; `insufficient_permissions` where it would grant more than the caller has */
  async create(body: unknown, authority: Authority): Promise<AccessKey> {
    const draft = parseKeyBody(body);
    if (draft.permissions === undefined)
      throw new FindlingError("invalid_request", "'permissions' is missing");
    const key: AccessKey = {
      key: generateKey(),
      name: "",
      permissions: draft.permissions,
      allowed_indexes: [],
      status: "active",
      ...draft,
    };
    requireGrantable(key, authority);
    await this.#catalog.putKey(key);
    return key;
  }

  /** Changes what the body names and leaves the rest. @throws FindlingError as `get` and `create` */
  async update(value: string, body: unknown, authority: Authority): Promise<AccessKey> {
    return this.#changes.exclusive(async () => {
      const before = this.get(value);
      const after: AccessKey = { ...before, ...parseKeyBody(body) };
      requireGrantable(before, authority);
      requireGrantable(after, authority);
      await this.#catalog.putKey(after);
      return after;
    });
  }

  /** @throws FindlingError `key_not_found` */
  async delete(value: string): Promise<"key deleted"> {
    return this.#changes.exclusive<"key deleted">(async () => {
      this.get(value);
      await this.#catalog.deleteKey(value);
      return "key deleted";
    });
  }

  /** Stored keys only: configured ones keep working. */
  async deleteAll(): Promise<"all keys deleted"> {
    return this.#changes.exclusive<"all keys deleted">(async () => {
      await this.#catalog.deleteAllKeys();
      return "all keys deleted";
    });
  }

  /**
   * Whether the caller's key holds every bit of a decimal mask.
   *
   * @throws FindlingError `invalid_request` if it isn't one, `insufficient_permissions` if a bit is missing
   */
  check(mask: string, authority: Authority): "permission granted" {
    if (!/^[0-9]+$/.test(mask)) {
      throw new FindlingError("invalid_request", `'${mask}' is not a decimal permission mask such as 15`);
    }
    // No key holds a bit above these; comparing first keeps huge masks out of 32-bit arithmetic.
    if (Number(mask) > HIGHEST_MASK || !authority.holds(Number(mask))) {
      throw new FindlingError("insufficient_permissions", `the access key does not hold permission ${mask}`);
    }
    return "permission granted";
  }
}

function keyOf(headerValue: string | undefined): string {
  const value = (headerValue ?? "").trim();
  return (value.charCodeAt(0) | TO_SMALL) === LETTER_B
    ? value.replace(/^bearer(?:\s+|$)/i, "").trim()
    : value;
}
