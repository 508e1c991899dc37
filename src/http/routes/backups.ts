import { waitsForBackup } from "../../contract/backup-bodies.js";
import type { BackupService } from "../../services/backup/backup-service.js";
import { AcceptedAnswer } from "../answers/envelope.js";
import { type HandlersOf, parameter } from "./route-handler.js";

export function backupRoutes(backups: BackupService): HandlersOf<"Backups"> {
  return {
    listBackups: () => backups.list(),
    createBackup: async ({ query, headers }) =>
      waitsForBackup(query, String(headers["prefer"] ?? ""))
        ? backups.create()
        : new AcceptedAnswer(await backups.begin()),
    verifyBackup: (call) => backups.verify(parameter(call, "id")),
    restoreIndex: async (call) => {
      const waits = waitsForBackup(call.query, String(call.headers["prefer"] ?? ""));
      const { begun, restored } = await backups.beginRestore(parameter(call, "id"), call.body);
      if (waits) return restored;
      // What becomes of it is told in the list, and in the log.
      restored.catch(() => undefined);
      return new AcceptedAnswer(begun);
    },
  };
}
