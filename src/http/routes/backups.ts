import { waitsForBackup } from "../../contract/backup-bodies.js";
import type { BackupService } from "../../services/backup/backup-service.js";
import { AcceptedAnswer } from "../answers/envelope.js";
import { parameter, type RouteHandlers } from "./route-handler.js";

type BackupOperation = "listBackups" | "createBackup" | "verifyBackup" | "restoreIndex";

export function backupRoutes(backups: BackupService): Pick<RouteHandlers, BackupOperation> {
  return {
    listBackups: () => backups.list(),
    createBackup: ({ query, headers }) =>
      waitsForBackup(query, String(headers["prefer"] ?? ""))
        ? backups.create()
        : new AcceptedAnswer(backups.begin()),
    verifyBackup: (call) => backups.verify(parameter(call, "id")),
    restoreIndex: (call) => backups.restore(parameter(call, "id"), call.body),
  };
}
