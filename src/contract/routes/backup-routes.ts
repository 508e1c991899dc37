import { ALL_ADMIN_PERMISSIONS } from "../access-key.js";
import {
  backupBegunSchema,
  backupCheckSchema,
  backupListSchema,
  backupQuerySchema,
  backupSummarySchema,
  restoreBegunSchema,
  restoreBodySchema,
  restoredIndexSchema,
} from "../backup-bodies.js";
import type { RouteRow } from "./route-row.js";
import { PLAIN, permission } from "./route-rules.js";

const ON_BACKUPS = { ...PLAIN, tag: "Backups", access: permission(ALL_ADMIN_PERMISSIONS) } as const;

export const BACKUP_ROUTES: readonly RouteRow[] = [
  {
    ...ON_BACKUPS,
    operationId: "listBackups",
    method: "GET",
    path: "/backup",
    summary: "Lists the backups in the store, the newest first",
    answer: backupListSchema,
    errors: ["backup_not_configured"],
  },
  {
    ...ON_BACKUPS,
    operationId: "createBackup",
    method: "POST",
    path: "/backup",
    summary: "Makes a backup of everything that is committed, and answers once it is there",
    query: backupQuerySchema,
    answer: backupSummarySchema,
    accepted: backupBegunSchema,
    errors: ["backup_not_configured", "backup_running"],
  },
  {
    ...ON_BACKUPS,
    operationId: "verifyBackup",
    method: "POST",
    path: "/backup/:id/verify",
    summary: "Reads every byte of a backup and says what is damaged",
    answer: backupCheckSchema,
    errors: ["backup_not_configured", "backup_not_found"],
  },
  {
    ...ON_BACKUPS,
    operationId: "restoreIndex",
    method: "POST",
    path: "/backup/:id/restore",
    summary: "Restores an index of a backup under a name that no index has, and answers once it is there",
    query: backupQuerySchema,
    body: restoreBodySchema,
    answer: restoredIndexSchema,
    accepted: restoreBegunSchema,
    errors: [
      "backup_not_configured",
      "backup_not_found",
      "backup_damaged",
      "index_not_found",
      "index_exists",
      "invalid_index",
    ],
  },
];
