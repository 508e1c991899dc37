import type { BackupService } from "../../services/backup/backup-service.js";
import { parameter, type RouteHandlers } from "./route-handler.js";

type BackupOperation = "listBackups" | "createBackup" | "verifyBackup" | "restoreIndex";

export function backupRoutes(backups: BackupService): Pick<RouteHandlers, BackupOperation> {
  return {
    listBackups: () => backups.list(),
    createBackup: () => backups.create(),
    verifyBackup: (call) => backups.verify(parameter(call, "id")),
    restoreIndex: (call) => backups.restore(parameter(call, "id"), call.body),
  };
}
