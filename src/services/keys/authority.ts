import { type AccessKey, ALL_ADMIN_PERMISSIONS, PERMISSION } from "../../contract/access-key.js";

/** The entry of `allowed_indexes` that stands for every index. */
export const ALL_INDEXES = "*";

/** What a caller may do: the permissions and the scope of the key it came with (contract 2.2, 2.4). */
export class Authority {
  /** The caller's key; null where authentication is off. */
  readonly key: string | null;
  /** Whether the operator chose the key (contract 2.1). */
  readonly isConfigured: boolean;
  /** The mask with everything that follows from it: all of 63 holds 64 too. */
  readonly permissions: number;
  /** Whether every index and federation is in scope. */
  readonly isUnscoped: boolean;
  readonly federationName: string | undefined;
  readonly organizationId: string | undefined;
  readonly applicationId: string | undefined;
  /** As the key names them; the scope where it isn't everything. */
  readonly allowedIndexes: ReadonlySet<string>;

  private constructor(key: string | null, isConfigured: boolean, grant: Omit<AccessKey, "key">) {
    this.key = key;
    this.isConfigured = isConfigured;
    const isAdmin = (grant.permissions & ALL_ADMIN_PERMISSIONS) === ALL_ADMIN_PERMISSIONS;
    this.permissions = isAdmin ? grant.permissions | PERMISSION.LLM_RAG_SUMMARIES : grant.permissions;
    this.isUnscoped = isAdmin || grant.allowed_indexes.includes(ALL_INDEXES);
    this.federationName = grant.federation_name;
    this.organizationId = grant.organization_id?.toString();
    this.applicationId = grant.application_id?.toString();
    this.allowedIndexes = new Set(grant.allowed_indexes);
  }

  static ofKey(key: AccessKey): Authority {
    return new Authority(key.key, false, key);
  }

  /** A key from the configuration: every index is in its scope. */
  static ofConfiguredKey(key: string, permissions: number): Authority {
    return new Authority(key, true, {
      name: "",
      permissions,
      allowed_indexes: [ALL_INDEXES],
      status: "active",
    });
  }

  /** Every caller where authentication is off. */
  static unrestricted(): Authority {
    return new Authority(null, false, {
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
