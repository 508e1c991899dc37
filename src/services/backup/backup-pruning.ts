import type { BackupManifest } from "../../contract/backup-manifest.js";
import type { Clock } from "../../ports/clock.js";
import type { BackupStore, ListedBackup } from "./backup-store.js";
import { allFilesOf } from "./manifest-format.js";
import { isFresh, keepMarking } from "./store-markers.js";

export interface PruneReport {
  /** Ids of backups that are gone. */
  readonly deleted: readonly string[];
  readonly kept: readonly string[];
  readonly deleted_pieces: number;
  readonly deleted_bytes: number;
  /** Why pieces that no backup needs have been left for the next time; null if they are gone. */
  readonly left_because: string | null;
}

/** A piece that was put more recently stays: the manifest that names it may be late in a list. */
const PIECE_AGE_MIN_MS = 24 * 60 * 60_000;
/** A marker that was left so long ago is deleted. */
const MARKER_AGE_MAX_MS = 24 * 60 * 60_000;

/**
 * Deletes all backups but the newest ones that can be read, what is newer than those and what they couldn't read
 * (`keptOf`), and pieces that no backup names any more. What a backup needed that is deleted now goes the next time: a new
 * backup may need it, too, and its manifest may be late in the list. One whose manifest can't be read counts as a backup:
 * nothing is known of what it needs, so no piece is deleted then.
 *
 * @param keep how many stay, from 1
 * @param pieceAgeMinMs pieces that are younger stay, for tests
 */
export async function pruneBackups(
  store: BackupStore,
  { keep, clock, pieceAgeMinMs = PIECE_AGE_MIN_MS }: { keep: number; clock: Clock; pieceAgeMinMs?: number },
): Promise<PruneReport> {
  const before = await store.list();
  const kept = keptOf(before, keep);
  const superfluous = before.filter((backup) => !kept.includes(backup));
  for (const { id } of superfluous) await store.deleteManifest(id);
  const deleted = idsOf(superfluous);
  const report = { deleted, kept: idsOf(kept), deleted_pieces: 0, deleted_bytes: 0 };
  const marking = await keepMarking(clock, () => store.putPruning());
  try {
    for (const marker of await store.markers()) {
      if (isFresh(marker, marking.first)) return { ...report, left_because: "a backup is being made" };
      if (marking.first!.modifiedAtMs - marker.modifiedAtMs > MARKER_AGE_MAX_MS)
        await store.deleteObject(marker);
    }
    const needed = new Set<string>();
    // Listed again: one may have been put since, and its pieces may be old.
    const since = (await store.list()).filter(({ id }) => !deleted.includes(id));
    for (const { id, manifest } of [...superfluous, ...since]) {
      if (manifest === null && deleted.includes(id)) continue;
      if (manifest === null) return { ...report, left_because: `the manifest of '${id}' can't be read` };
      for (const { pieces } of allFilesOf(manifest)) for (const { sha256 } of pieces) needed.add(sha256);
    }
    const youngest = (marking.first?.modifiedAtMs ?? clock.now()) - pieceAgeMinMs;
    for await (const { sha256, object } of store.pieces()) {
      if (needed.has(sha256) || object.modifiedAtMs > youngest) continue;
      await store.deletePiece(sha256);
      report.deleted_pieces++;
      report.deleted_bytes += object.bytes;
    }
    return { ...report, left_because: null };
  } finally {
    await marking.end();
    await store.deletePruning().catch(() => undefined);
  }
}

/**
 * The newest backups, and of those before them the newest that has what the newest couldn't read: an index whose files are
 * damaged is in no new backup, and the last one that has it would go with time.
 *
 * @param backups the newest first
 */
function keptOf(backups: readonly ListedBackup[], keep: number): readonly ListedBackup[] {
  const oldest = backups.filter(({ manifest }) => manifest !== null).at(keep - 1);
  if (oldest === undefined) return backups;
  const count = backups.indexOf(oldest) + 1;
  const newest = backups.slice(0, count);
  const failed = new Set(newest.flatMap(({ manifest }) => manifest?.failed.map(({ index }) => index) ?? []));
  const needed = [...failed].map((name) =>
    backups.find(({ manifest }) => manifest !== null && holds(manifest, name)),
  );
  if (newest.some(({ manifest }) => manifest !== null && lacksEvents(manifest)))
    needed.push(backups.find(({ manifest }) => manifest !== null && !lacksEvents(manifest)));
  return backups.filter((backup) => newest.includes(backup) || needed.includes(backup));
}

/** @param name the index's; null: what the catalog has besides indexes */
function holds({ indexes, failed }: BackupManifest, name: string | null): boolean {
  return name === null
    ? failed.every(({ index }) => index !== null)
    : indexes.some((index) => index.name === name);
}

/** Whether usage events couldn't be read. */
const lacksEvents = ({ events }: BackupManifest): boolean => events.kind === "failed";

const idsOf = (backups: readonly ListedBackup[]): readonly string[] => backups.map(({ id }) => id);
