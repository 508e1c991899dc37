import { MASKED_SECRET } from "./ai-config.js";

/** Permission bits (contract 2.2). */
export const PERMISSION = {
  SEARCH: 1,
  INGEST: 2,
  UPDATE_INDEX: 4,
  MODIFY_AUTH: 8,
  MODIFY_INDEX: 16,
  ADMIN: 32,
  LLM_RAG_SUMMARIES: 64,
} as const;

/** A key holding all of these ignores its index scope and counts as holding every bit. */
export const ALL_ADMIN_PERMISSIONS = 63;

/** A key for those who may not have it, yet should know it from others; undefined where it can't be decrypted. */
export function maskedKey(value: string | undefined): string {
  return value === undefined ? MASKED_SECRET : MASKED_SECRET + value.slice(-4);
}

/** The key object of contract 2.5; absent optionals are left out. */
export interface AccessKey {
  /** Masked for callers that don't hold all the rights of the key. */
  readonly key: string;
  /** 16 hex digits that stand for the key in paths and usage events, and don't let anybody in. */
  readonly id: string;
  readonly name: string;
  readonly permissions: number;
  readonly allowed_indexes: readonly string[];
  readonly status: "active" | "inactive";
  readonly organization_id?: number | string;
  readonly organization_name?: string;
  readonly application_id?: number | string;
  readonly application_name?: string;
  readonly federation_name?: string;
  /** An extension: from then on the key lets nobody in; RFC 3339 in UTC. */
  readonly expires_at?: string;
  /** An extension: when a request was let in by it last, as far as this server knows; RFC 3339 in UTC. */
  readonly last_used_at?: string;
}
