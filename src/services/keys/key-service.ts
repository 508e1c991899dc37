import { type AccessKey, ALL_ADMIN_PERMISSIONS, maskedKey, PERMISSION } from "../../contract/access-key.js";
import type { CallerView } from "../../contract/admin.js";
import { parseKeyBody } from "../../contract/key-body.js";
import type { RouteRow } from "../../contract/route-table.js";
import { FindlingError } from "../../errors/index.js";
import type { CatalogKey } from "../../ports/catalog.js";
import { ALL_INDEXES, Authority } from "../authority/authority.js";
import {
  memberNamesOf,
  requireEverythingInScope,
  requireFederationInScope,
  requireIndexInScope,
  requireMembersInScope,
  requirePermission,
} from "../authority/scope-rule.js";
import { requireFederation } from "../federations/require-federation.js";
import { requireIndex } from "../indexes/require-index.js";
import { ReadWriteLock } from "../locks/read-write-lock.js";
import { type ConfiguredKey, ConfiguredKeys } from "./configured-keys.js";
import { generateKey } from "./generate-key.js";
import { holdsRightsOf, requireDeletable, requireGrantable } from "./grant-rule.js";
import { KeyUses, type KeyUsesPorts } from "./key-uses.js";

export interface KeyServiceOptions {
  readonly configuredKeys: readonly ConfiguredKey[];
  /** Off: every request may do everything (contract 2.1). */
  readonly authenticationEnabled: boolean;
  /** On: summaries need the permission LLM_RAG_SUMMARIES, too (contract 2.3). */
  readonly strictSummaryPermission?: boolean;
  /** On: the permission SEARCH is enough to send usage events (contract 2.3). */
  readonly measureAcceptsReadKeys?: boolean;
  /** The greatest `limit` of a search, which callers are told. Default 200. */
  readonly maxResultLimit?: number;
}

/** What a request's path names, for the check against the caller's scope. */
export interface RequestTarget {
  readonly indexName?: string | undefined;
  readonly federationName?: string | undefined;
  /** The `:key` of the path: a key or its id. */
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

/**
 * Who is calling, what it may do, and the keys themselves (contract 2, 3.9). Keys whose rights the caller doesn't
 * hold entirely are shown masked, as who has a key can do all that it can. Wherever a key is given, its id does as well.
 */
export class KeyService {
  readonly #ports: KeyUsesPorts;
  readonly #uses: KeyUses;
  readonly #configuredKeys: ConfiguredKeys;
  readonly #authenticationEnabled: boolean;
  readonly #strictSummaryPermission: boolean;
  readonly #measureAcceptsReadKeys: boolean;
  readonly #maxResultLimit: number;
  /** Changes read and then write: in turn, or a change could bring a deleted key back. */
  readonly #changes = new ReadWriteLock();
  /** What is known of a key is another object after each change of it. */
  readonly #authorities = new WeakMap<CatalogKey, Authority>();

  constructor(ports: KeyUsesPorts, options: KeyServiceOptions) {
    this.#ports = ports;
    this.#uses = new KeyUses(ports);
    this.#configuredKeys = new ConfiguredKeys(options.configuredKeys);
    this.#authenticationEnabled = options.authenticationEnabled;
    this.#strictSummaryPermission = options.strictSummaryPermission ?? false;
    this.#measureAcceptsReadKeys = options.measureAcceptsReadKeys ?? false;
    this.#maxResultLimit = options.maxResultLimit ?? 200;
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
    const key = this.#ports.catalog.keyWithValue(value);
    if (key === undefined) throw new FindlingError("invalid_key", "the access key is not known");
    if (key.status === "inactive") throw new FindlingError("inactive_key", "the access key is inactive");
    const authority = this.#authorityOf(key);
    const nowMs = this.#ports.clock.now();
    if (authority.expiresMs <= nowMs)
      throw new FindlingError("inactive_key", `the access key has expired, at ${key.expires_at}`);
    this.#uses.note(key.id, nowMs);
    return authority;
  }

  /** Writes down which keys were used, while the catalog is still open. */
  async stop(): Promise<void> {
    await this.#uses.stop();
  }

  #authorityOf(key: CatalogKey): Authority {
    const known = this.#authorities.get(key);
    if (known !== undefined) return known;
    const authority = Authority.ofKey(key);
    this.#authorities.set(key, authority);
    return authority;
  }

  /**
   * Checks the caller's bits and scope against a route and what its path names. Rules that depend
   * on the body are checked by the service that reads it.
   *
   * @throws FindlingError `insufficient_permissions`, `index_not_allowed`
   */
  authorize(authority: Authority, route: RouteRow, target: RequestTarget = {}): void {
    if (route.access.kind !== "permission") return;
    if (route.access.ownKey && target.key !== undefined && this.#isOwn(target.key, authority)) return;
    const { bits, bitsIfStrict = 0 } = route.access;
    if (!this.#mayMeasure(authority, route)) {
      requirePermission(authority, this.#strictSummaryPermission ? bits | bitsIfStrict : bits);
    }
    if (route.scope === "index") this.#requireNamedInScope(authority, target.indexName ?? "");
    if (route.scope === "everything") requireEverythingInScope(authority);
    const { federationName = "" } = target;
    if (route.scope === "federation") {
      requireFederationInScope(authority, federationName, memberNamesOf(this.#ports.catalog, federationName));
    }
    if (route.scope === "federation_indexes") {
      requireMembersInScope(authority, federationName, memberNamesOf(this.#ports.catalog, federationName));
    }
  }

  /** By its own name, or an alias's of an index in scope; an alias in scope gives no right to its index. */
  #requireNamedInScope(authority: Authority, name: string): void {
    const index = this.#ports.catalog.alias(name);
    if (index === undefined || !authority.coversIndex(index)) requireIndexInScope(authority, name);
  }

  #isOwn(valueOrId: string, { caller }: Authority): boolean {
    return valueOrId === caller || this.#find(valueOrId)?.id === caller;
  }

  /** Whether the operator's word lets the caller send usage events without the route's own bits. */
  #mayMeasure(authority: Authority, { access }: RouteRow): boolean {
    if (!this.#measureAcceptsReadKeys || access.kind !== "permission") return false;
    return access.bitsIfReadKeysMeasure !== undefined && authority.holds(access.bitsIfReadKeysMeasure);
  }

  /**
   * Creates one key of each kind if there is neither a stored nor a configured one (contract 2.1). Stored keys
   * count also where they can't be decrypted: they work again once they can.
   */
  async ensureFirstKeys(): Promise<readonly AccessKey[]> {
    if (!this.#configuredKeys.isEmpty) return [];
    const keys = FIRST_KEYS.map(
      ({ name, permissions }): NewKey => ({
        key: generateKey(),
        name,
        permissions,
        allowed_indexes: [ALL_INDEXES],
        status: "active",
      }),
    );
    return this.#ports.catalog.addFirstKeys(keys);
  }

  /** The value of the first active stored key that may do everything; undefined if there is none or it can't be decrypted. */
  anyAdminKey(): string | undefined {
    for (const key of this.#ports.catalog.keys()) {
      if (key.status !== "active" || this.#authorityOf(key).expiresMs <= this.#ports.clock.now()) continue;
      if ((key.permissions & ALL_ADMIN_PERMISSIONS) !== ALL_ADMIN_PERMISSIONS) continue;
      const value = this.#ports.catalog.valueOfKey(key.id);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  list(authority: Authority): readonly AccessKey[] {
    return this.#listed(authority, () => true);
  }

  listOfApplication(id: string, authority: Authority): readonly AccessKey[] {
    return this.#listed(authority, (key) => key.application_id?.toString() === id);
  }

  listOfOrganization(id: string, authority: Authority): readonly AccessKey[] {
    return this.#listed(authority, (key) => key.organization_id?.toString() === id);
  }

  /** @throws FindlingError `federation_not_found` */
  listOfFederation(name: string, authority: Authority): readonly AccessKey[] {
    requireFederation(this.#ports.catalog, name);
    return this.#listed(authority, (key) => key.federation_name === name);
  }

  /** @throws FindlingError `index_not_found` */
  listOfIndex(name: string, authority: Authority): readonly AccessKey[] {
    requireIndex(this.#ports.catalog, name);
    return this.#listed(
      authority,
      ({ allowed_indexes: names }) => names.includes(name) || names.includes(ALL_INDEXES),
    );
  }

  #listed(authority: Authority, isListed: (key: CatalogKey) => boolean): readonly AccessKey[] {
    return this.#ports.catalog
      .keys()
      .filter(isListed)
      .map((key) => this.#shown(key, authority));
  }

  /** @throws FindlingError `key_not_found` */
  get(valueOrId: string, authority: Authority): AccessKey {
    return this.#shown(this.#require(valueOrId), authority);
  }

  #shown(key: CatalogKey, authority: Authority): AccessKey {
    const value = this.#ports.catalog.valueOfKey(key.id);
    const isWhole = value !== undefined && holdsRightsOf(key, authority);
    const lastUse = this.#uses.lastOf(key);
    return {
      key: isWhole ? value : maskedKey(value),
      ...key,
      ...(lastUse === undefined ? {} : { last_used_at: lastUse }),
    };
  }

  #find(valueOrId: string): CatalogKey | undefined {
    return this.#ports.catalog.keyWithValue(valueOrId) ?? this.#ports.catalog.key(valueOrId);
  }

  #require(valueOrId: string): CatalogKey {
    const key = this.#find(valueOrId);
    if (key !== undefined) return key;
    const advice = valueOrId.startsWith(maskedKey(undefined)) ? "; a masked one is given by its 'id'" : "";
    throw new FindlingError("key_not_found", `there is no such access key${advice}`);
  }

  /** @throws FindlingError `invalid_request`; `insufficient_permissions` where it would grant more than the caller has */
  async create(body: unknown, authority: Authority): Promise<AccessKey> {
    const draft = parseKeyBody(body);
    if (draft.permissions === undefined)
      throw new FindlingError("invalid_request", "'permissions' is missing");
    const key: NewKey = {
      key: generateKey(),
      name: "",
      permissions: draft.permissions,
      allowed_indexes: [],
      status: "active",
      ...withoutEndless(draft),
    };
    requireGrantable(key, authority);
    const [created] = await this.#ports.catalog.addKeys([key]);
    return created!;
  }

  /** Changes what the body names and leaves the rest. @throws FindlingError as `get` and `create` */
  async update(valueOrId: string, body: unknown, authority: Authority): Promise<AccessKey> {
    return this.#changes.exclusive(async () => {
      const before = this.#require(valueOrId);
      const after: CatalogKey = withoutEndless({ ...before, ...parseKeyBody(body) });
      requireGrantable(before, authority);
      requireGrantable(after, authority);
      await this.#ports.catalog.putKey(after, before);
      return this.#shown(after, authority);
    });
  }

  /** @throws FindlingError `key_not_found`; `insufficient_permissions` where it holds more than the caller */
  async delete(valueOrId: string, authority: Authority): Promise<"key deleted"> {
    return this.#changes.exclusive<"key deleted">(async () => {
      const key = this.#require(valueOrId);
      // The caller's own may have got rights since the request was let in.
      if (key.id !== authority.caller) requireDeletable(key, authority);
      await this.#ports.catalog.deleteKeys([key.id]);
      return "key deleted";
    });
  }

  /**
   * Stored keys only: configured ones keep working. Those that hold more than the caller stay.
   *
   * @returns a sentence that says how many these are, if any
   */
  async deleteAll(authority: Authority): Promise<string> {
    return this.#changes.exclusive(async () => {
      const keys = this.#ports.catalog.keys();
      const deleted = keys.filter((key) => holdsRightsOf(key, authority)).map(({ id }) => id);
      await this.#ports.catalog.deleteKeys(deleted);
      const stayed = keys.length - deleted.length;
      if (stayed === 0) return "all keys deleted";
      return `${counted(deleted.length)} deleted, ${counted(stayed)} stayed: the access key may not delete what holds more than itself`;
    });
  }

  /** What the caller may do, and where. */
  describe(authority: Authority): CallerView {
    const { permissions, isUnscoped, allowedIndexes, federationName } = authority;
    return {
      permissions,
      allowed_indexes: isUnscoped ? [ALL_INDEXES] : [...allowedIndexes].sort(),
      ...(federationName === undefined ? {} : { federation_name: federationName }),
      max_result_limit: this.#maxResultLimit,
    };
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

type NewKey = Omit<AccessKey, "id">;

/** Without the null that takes an expiry away. */
function withoutEndless<Known extends { readonly expires_at?: string | null }>(
  known: Known,
): Omit<Known, "expires_at"> & { readonly expires_at?: string } {
  const { expires_at: instant, ...rest } = known;
  return typeof instant === "string" ? { ...rest, expires_at: instant } : rest;
}

function counted(keys: number): string {
  return keys === 1 ? "1 key" : `${keys} keys`;
}

function keyOf(headerValue: string | undefined): string {
  const value = (headerValue ?? "").trim();
  return (value.charCodeAt(0) | TO_SMALL) === LETTER_B
    ? value.replace(/^bearer(?:\s+|$)/i, "").trim()
    : value;
}
