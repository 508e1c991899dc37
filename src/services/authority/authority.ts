import { ALL_ADMIN_PERMISSIONS, PERMISSION } from "../../contract/access-key.js";
import type { CatalogKey } from "../../ports/catalog.js";

/** The entry of `allowed_indexes` that stands for every index. */
export const ALL_INDEXES = "*";

/** What stands for keys that the operator chose: one may be short enough to be guessed from a digest. */
const CONFIGURED_KEY_ID = "configured";

/** What a caller may do: the permissions and the scope of the key it came with (contract 2.2, 2.4). */
export class Authority {
  /**
   * Tells callers apart: the id of a stored key, a configured key itself, which must not get out, or an empty text
   * where authentication is off.
   */
  readonly caller: string;
  /** What usage events call the key: its id, or `configured`; undefined where authentication is off. */
  readonly keyId: string | undefined;
  /** The mask with everything that follows from it: all of 63 holds 64 too. */
  readonly permissions: number;
  /** Whether every index and federation is in scope. */
  readonly isUnscoped: boolean;
  readonly federationName: string | undefined;
  readonly organizationId: string | undefined;
  readonly applicationId: string | undefined;
  /** As the key names them; the scope where it isn't everything. */
  readonly allowedIndexes: ReadonlySet<string>;
  /** When it ends, in milliseconds since the Unix epoch; infinite where it doesn't. */
  readonly expiresMs: number;

  private constructor(caller: string, keyId: string | undefined, grant: Omit<CatalogKey, "id">) {
    this.caller = caller;
    this.keyId = keyId;
    const isAdmin = (grant.permissions & ALL_ADMIN_PERMISSIONS) === ALL_ADMIN_PERMISSIONS;
    this.permissions = isAdmin ? grant.permissions | PERMISSION.LLM_RAG_SUMMARIES : grant.permissions;
    this.isUnscoped = isAdmin || grant.allowed_indexes.includes(ALL_INDEXES);
    this.federationName = grant.federation_name;
    this.organizationId = grant.organization_id?.toString();
    this.applicationId = grant.application_id?.toString();
    this.allowedIndexes = new Set(grant.allowed_indexes);
    this.expiresMs = grant.expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(grant.expires_at);
  }

  static ofKey(key: CatalogKey): Authority {
    return new Authority(key.id, key.id, key);
  }

  /** A key from the configuration: every index is in its scope. */
  static ofConfiguredKey(key: string, permissions: number): Authority {
    return new Authority(key, CONFIGURED_KEY_ID, {
      name: "",
      permissions,
      allowed_indexes: [ALL_INDEXES],
      status: "active",
    });
  }

  /** Every caller where authentication is off. */
  static unrestricted(): Authority {
    return new Authority("", undefined, {
      name: "",
      permissions: ALL_ADMIN_PERMISSIONS,
      allowed_indexes: [ALL_INDEXES],
      status: "active",
    });
  }

  holds(bits: number): boolean {
    return (this.permissions & bits) === bits;
  }

  coversIndex(name: string): boolean {
    return this.isUnscoped || this.allowedIndexes.has(name);
  }

  /** @param names undefined if it isn't known which they are */
  coversIndexes(names: readonly string[] | undefined): boolean {
    return this.isUnscoped || (names?.every((name) => this.coversIndex(name)) ?? false);
  }

  /** @param indexNames the federation's indexes, as for `coversIndexes` */
  coversFederation(name: string, indexNames: readonly string[] | undefined): boolean {
    return this.federationName === name || this.coversIndexes(indexNames);
  }
}
