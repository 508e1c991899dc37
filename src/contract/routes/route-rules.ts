import type { ErrorCode } from "../../errors/index.js";
import { PERMISSION } from "../access-key.js";
import type { RouteAccess, RouteRow } from "./route-row.js";

type CommonMembers = Pick<RouteRow, "scope" | "body" | "bodyLimit" | "mirrored" | "errors">;

/** What most routes share, so that a row says only what is its own. */
export const PLAIN: CommonMembers = {
  scope: "none",
  body: null,
  bodyLimit: "standard",
  mirrored: false,
  errors: [],
};
export const ON_INDEX: CommonMembers = { ...PLAIN, scope: "index", errors: ["index_not_found"] };

export const SEARCH: RouteAccess = permission(PERMISSION.SEARCH);
export const INGEST: RouteAccess = permission(PERMISSION.INGEST);

/** What a query may be refused for. */
export const QUERY_ERRORS: readonly ErrorCode[] = [
  "query_syntax",
  "unknown_field",
  "field_not_indexed",
  "invalid_field_value",
];

export function permission(bits: number): RouteAccess & { readonly kind: "permission" } {
  return { kind: "permission", bits, ownKey: false };
}
