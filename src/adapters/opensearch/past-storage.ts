import type { StorageId } from "../../ports/search-backend.js";
import { isPast } from "./index-generations.js";
import type { IndexStates } from "./index-states.js";
import type { ClusterKeptSearches } from "./kept-searches.js";
import type { OwnedIndices } from "./owned-index.js";
import type { PointsInTime } from "./points-in-time.js";
import type { StorageNames } from "./storage-names.js";
import type { StoredDocuments } from "./stored-documents.js";

/** Documents that die in a commit stay so long for searches that have begun before it. */
const PURGE_AFTER_MS = 60_000;
const CLEAR_EVERY_MS = 60_000;

export interface PastStorageParts {
  readonly indices: OwnedIndices;
  readonly names: StorageNames;
  readonly states: IndexStates;
  readonly points: PointsInTime;
  readonly keptSearches: ClusterKeptSearches;
  documents(storageId: StorageId): StoredDocuments;
  /** Ends what this process does with a storage that goes. */
  forget(storageId: StorageId): Promise<void>;
  readonly onProblem: (message: string, error: unknown) => void;
}

/**
 * Clears away what nobody can see any more: storage that was dropped, once no open search reads it, storage that never came
 * to be named, and documents that have died.
 */
export class PastStorage {
  readonly #parts: PastStorageParts;
  /** Storage of which documents have died that are to be purged. */
  readonly #purged = new Set<StorageId>();
  /** How many open searches of this process read a storage. */
  readonly #held = new Map<StorageId, number>();
  #isDoubtful = (): boolean => false;
  #timer: NodeJS.Timeout | undefined;
  #clearing: Promise<void> = Promise.resolve();

  constructor(parts: PastStorageParts) {
    this.#parts = parts;
  }

  /** Only what was dropped is cleared away while this says so. */
  keepUnnamedWhile(isDoubtful: () => boolean): void {
    this.#isDoubtful = isDoubtful;
  }

  startClearing(): void {
    this.#timer = setInterval(() => {
      this.#clearing = this.#clearing
        .then(() => this.#clear())
        .catch((error: unknown) => {
          this.#parts.onProblem("what is of no more use in the cluster can't be cleared away now", error);
        });
    }, CLEAR_EVERY_MS).unref();
  }

  async stopClearing(): Promise<void> {
    clearInterval(this.#timer);
    await this.#clearing;
  }

  /** Documents of the storage have died. */
  purgeLater(storageId: StorageId): void {
    this.#purged.add(storageId);
  }

  /** Keeps what an open search of this process reads; returns what is to be called once it doesn't any more. */
  hold(storageIds: readonly StorageId[]): () => void {
    for (const storageId of storageIds) this.#held.set(storageId, (this.#held.get(storageId) ?? 0) + 1);
    return () => this.#letGo(storageIds);
  }

  /** Whether an open search reads it, of this process or kept in the cluster. */
  async isRead(storageId: StorageId): Promise<boolean> {
    return this.#held.has(storageId) || this.#parts.keptSearches.readStorage(storageId);
  }

  /** @throws FindlingError `storage_unavailable` */
  async dropNow(storageId: StorageId): Promise<void> {
    const { indices, names, states, forget } = this.#parts;
    this.#purged.delete(storageId);
    await forget(storageId);
    await indices.delete([names.documents(storageId), names.words(storageId)]);
    await states.delete(storageId);
  }

  /** Storage that was dropped meanwhile goes with the last search that reads it here. */
  #letGo(storageIds: readonly StorageId[]): void {
    for (const storageId of storageIds) {
      const left = (this.#held.get(storageId) ?? 1) - 1;
      if (left > 0) {
        this.#held.set(storageId, left);
        continue;
      }
      this.#held.delete(storageId);
      this.#parts.states
        .find(storageId)
        .then(async (found) => {
          if ((found?.state.droppedAt ?? null) === null || (await this.isRead(storageId))) return;
          await this.dropNow(storageId);
        })
        .catch(() => undefined);
    }
  }

  async #clear(): Promise<void> {
    const { states, points, keptSearches, documents } = this.#parts;
    const now = Date.now();
    await keptSearches.clear();
    await points.clear((point) => keptSearches.namePoint(point));
    for (const [storageId, state] of await states.all()) {
      const isKept = state.isKept || this.#isDoubtful();
      if (isPast({ ...state, isKept }, now) && !(await this.isRead(storageId))) await this.dropNow(storageId);
    }
    for (const storageId of this.#purged) {
      const found = await states.find(storageId);
      if (found === null) {
        this.#purged.delete(storageId);
        continue;
      }
      const { commits } = found.state;
      const seen = commits.filter(({ at }) => now - at > PURGE_AFTER_MS).at(-1);
      if (seen === undefined) continue;
      await states.change(storageId, (state) =>
        state.purgedTo >= seen.generation ? state : { ...state, purgedTo: seen.generation },
      );
      await documents(storageId).deleteFound({ range: { died: { lte: seen.generation } } });
      if (seen === commits.at(-1)) this.#purged.delete(storageId);
    }
  }
}
