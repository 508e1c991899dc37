import { type BackupFile, type BackupManifest, PIECE_BYTES_MAX } from "../../contract/backup-manifest.js";
import { CorruptionError } from "../../errors/index.js";
import type { IndexFiles } from "../../ports/index-files.js";
import { type BackupStore, manifestNameOf } from "./backup-store.js";
import { expectedFiles } from "./expected-files.js";

/** Something wrong with a backup, and what can't be restored for it. */
export interface BackupProblem {
  /** Null: it is of the catalog or of usage events. */
  readonly index: string | null;
  readonly file: string;
  readonly problem: string;
}

export interface BackupReport {
  readonly id: string;
  readonly problems: readonly BackupProblem[];
  readonly checked_bytes: number;
}

/**
 * Reads every byte of a backup and compares it with what the manifest says. What it couldn't have from the beginning is a
 * problem, too: nobody restores it from there.
 *
 * @throws CorruptionError if the manifest itself is damaged; FindlingError `storage_unavailable`
 */
export async function verifyBackup(
  manifest: BackupManifest,
  store: BackupStore,
  indexFiles: Pick<IndexFiles, "describe">,
): Promise<BackupReport> {
  const problems: BackupProblem[] = [];
  const sound = new Set<string>();
  let checkedBytes = 0;
  // New memory for each piece would be collected while requests wait.
  const buffer = new Uint8Array(PIECE_BYTES_MAX);
  const check = async (index: string | null, { name, pieces }: BackupFile): Promise<void> => {
    for (const piece of pieces) {
      if (sound.has(piece.sha256)) continue;
      try {
        await store.readPiece(piece, buffer);
        sound.add(piece.sha256);
        checkedBytes += piece.bytes;
      } catch (error) {
        if (!(error instanceof CorruptionError)) throw error;
        problems.push({ index, file: name, problem: error.message });
      }
    }
  };
  for (const index of manifest.indexes) {
    const { name, entry, files } = index;
    try {
      expectedFiles(index, indexFiles);
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      problems.push({ index: name, file: error.file, problem: error.message });
    }
    for (const file of [entry, ...files]) await check(name, file);
  }
  for (const file of [...manifest.catalog, ...manifest.events.files]) await check(null, file);
  const file = manifestNameOf(manifest.id);
  for (const { index, problem } of manifest.failed) {
    const said = index === null ? "was damaged" : "could not be read";
    problems.push({ index, file, problem: `${said} when the backup was made: ${problem}` });
  }
  const { problem } = manifest.events;
  if (problem !== undefined) {
    const said = "usage events could not be read when the backup was made";
    problems.push({ index: null, file, problem: `${said}: ${problem}` });
  }
  return { id: manifest.id, problems, checked_bytes: checkedBytes };
}
