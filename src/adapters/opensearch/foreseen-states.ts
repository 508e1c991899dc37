import type { StorageId } from "../../ports/search-backend.js";
import { countsOnlyLive } from "./index-generations.js";
import type { IndexState, IndexStates } from "./index-states.js";
import type { TimedCaller } from "./timed-caller.js";

/**
 * Searches storages in the states that they were last seen in here, while their states are read; once more if these have
 * become others. So a search sees what has been committed when it begins, in one round trip.
 *
 * @param search may be called twice, and then is given up the first time
 * @throws FindlingError as `IndexStates.requireAll`, and what the search throws
 */
export async function searchForeseen<T>(
  states: IndexStates,
  storageIds: readonly StorageId[],
  caller: TimedCaller,
  search: (states: readonly IndexState[], caller: TimedCaller) => Promise<T>,
): Promise<T> {
  const foreseen = states.lastSeen(storageIds);
  if (foreseen === null) return search(await states.requireAll(storageIds, caller), caller);
  const attempt = new Attempt(caller);
  const early = search(foreseen, attempt).then(
    (result) => () => result,
    (error: unknown) => () => {
      throw error;
    },
  );
  let present: readonly IndexState[];
  try {
    // The search goes out first, as it takes longer.
    await new Promise((resolve) => setImmediate(resolve));
    present = await states.requireAll(storageIds, caller);
  } catch (error) {
    attempt.giveUp();
    throw error;
  }
  if (present.every((state, i) => isSeenAlike(state, foreseen[i]!))) return (await early)();
  attempt.giveUp();
  return search(present, caller);
}

/** Whether a search in the foreseen state has found and scored what one in the present state does. */
function isSeenAlike(present: IndexState, foreseen: IndexState): boolean {
  const isScoredAlike = !countsOnlyLive(foreseen) || countsOnlyLive(present);
  return present.generation === foreseen.generation && present.schema === foreseen.schema && isScoredAlike;
}

/** A caller for whom somebody else asks, and may give it up. */
class Attempt implements TimedCaller {
  readonly #caller: TimedCaller;
  readonly #listeners = new Set<() => void>();
  #isGivenUp = false;

  constructor(caller: TimedCaller) {
    this.#caller = caller;
  }

  get endsAt(): number | undefined {
    return this.#caller.endsAt;
  }

  get isGone(): boolean {
    return this.#isGivenUp || this.#caller.isGone;
  }

  whenGone(listener: () => void): () => void {
    this.#listeners.add(listener);
    const forget = this.#caller.whenGone(listener);
    return () => {
      this.#listeners.delete(listener);
      forget();
    };
  }

  giveUp(): void {
    this.#isGivenUp = true;
    for (const listener of [...this.#listeners]) listener();
  }
}
