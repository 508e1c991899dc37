import { FindlingError } from "../../errors/index.js";
import type { Clock } from "../../ports/clock.js";
import type { StoredObject } from "../../ports/object-store.js";
import type { BackupStore } from "./backup-store.js";

/**
 * Who makes a backup and who deletes old ones tell each other by markers in the store: each puts its own first and then
 * looks for the other's, so that of two at least one sees the other. Times are the store's.
 */
const MARK_EVERY_MS = 60_000;

/** A marker that wasn't put again for so long was left by somebody who is gone. */
export const MARKER_VALID_MS: number = 15 * 60_000;

/** Deleting old backups takes less, as a rule. */
const PRUNING_PATIENCE_MS = 10 * 60_000;
const LOOK_EVERY_MS = 2_000;

export interface Marking {
  /** The marker as it was put first. */
  readonly first: StoredObject | null;
  /** Resolves when it isn't put any more. */
  end(): Promise<void>;
}

/** Puts a marker now, and again as long as it is wanted. */
export async function keepMarking(clock: Clock, put: () => Promise<StoredObject | null>): Promise<Marking> {
  const first = await put();
  let isOver = false;
  let timer: { cancel(): void } | null = null;
  let putting: Promise<unknown> = Promise.resolve();
  const again = (): void => {
    timer = clock.after(MARK_EVERY_MS, () => {
      // The next one may get through.
      putting = put()
        .catch(() => undefined)
        .then(() => {
          if (!isOver) again();
        });
    });
  };
  again();
  return {
    first,
    async end() {
      isOver = true;
      timer?.cancel();
      await putting;
    },
  };
}

/** Whether a marker was put, or put again, shortly before another one. */
export function isFresh(marker: StoredObject, now: StoredObject | null): boolean {
  return now === null || marker.modifiedAtMs > now.modifiedAtMs - MARKER_VALID_MS;
}

/** @throws FindlingError `storage_unavailable` if old backups are being deleted for very long */
export async function waitForPruning(
  store: BackupStore,
  own: StoredObject | null,
  { clock, isWanted }: { readonly clock: Clock; readonly isWanted: () => boolean },
): Promise<void> {
  const giveUpAtMs = clock.now() + PRUNING_PATIENCE_MS;
  for (;;) {
    const pruning = await store.pruning();
    if (pruning === null || !isFresh(pruning, own)) return;
    if (clock.now() > giveUpAtMs || !isWanted()) {
      throw new FindlingError(
        "storage_unavailable",
        `in ${store.description} old backups are being deleted; try again once that is over`,
      );
    }
    await new Promise<void>((resolve) => {
      clock.after(LOOK_EVERY_MS, resolve);
    });
  }
}
