import { ALL_ADMIN_PERMISSIONS } from "../access-key.js";
import {
  callerSchema,
  configurationSchema,
  logQuerySchema,
  overviewSchema,
  recentLogLinesSchema,
  signedInSchema,
  signInBodySchema,
  slowSearchesSchema,
} from "../admin.js";
import type { RouteRow } from "./route-row.js";
import { PLAIN, permission } from "./route-rules.js";

const ADMIN = {
  ...PLAIN,
  tag: "Administration",
  access: permission(ALL_ADMIN_PERMISSIONS),
  scope: "everything",
} as const;

export const ADMIN_ROUTES: readonly RouteRow[] = [
  {
    ...ADMIN,
    operationId: "getOverview",
    method: "GET",
    path: "/admin/overview",
    summary: "Extension: every index with its size, pending writes and searches, and how the server fares",
    answer: overviewSchema,
  },
  {
    ...ADMIN,
    operationId: "listSlowSearches",
    method: "GET",
    path: "/admin/slow-searches",
    summary: "Extension: the last hundred searches that took long, as they were asked",
    answer: slowSearchesSchema,
  },
  {
    ...ADMIN,
    operationId: "getLog",
    method: "GET",
    path: "/admin/log",
    summary: "Extension: the last thousand log lines, or those behind one",
    query: logQuerySchema,
    answer: recentLogLinesSchema,
    errors: ["invalid_request"],
  },
  {
    ...ADMIN,
    operationId: "getConfiguration",
    method: "GET",
    path: "/admin/configuration",
    summary: "Extension: every setting in force, secrets masked",
    answer: configurationSchema,
  },
  {
    ...PLAIN,
    operationId: "describeCaller",
    method: "GET",
    path: "/auth/self",
    tag: "Keys",
    summary: "Extension: what the caller's key may do, and where",
    access: { kind: "any_key", evenIfOff: false },
    answer: callerSchema,
  },
  {
    ...PLAIN,
    operationId: "signInWithCode",
    method: "POST",
    path: "/admin/sign-in",
    tag: "Administration",
    summary:
      "Extension: exchanges the one-time code that a start prints for a key, from the same machine alone",
    access: { kind: "public" },
    body: signInBodySchema,
    answer: signedInSchema,
    errors: ["invalid_key", "insufficient_permissions"],
  },
];
