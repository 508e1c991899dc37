import type {
  HeldSearcher,
  Searcher,
  SharedSnapshot,
  SnapshotFollower,
} from "../../../engine/server-door.js";

/** A state with its holders: those who search it for long, and whoever follows the index. */
interface SeenState {
  readonly held: HeldSearcher;
  readonly commits: number;
  holders: number;
}

/** The newest state of an index that another thread has shared. */
export class FollowedState {
  readonly #follower: SnapshotFollower;
  readonly #onNewest: (searcher: Searcher) => void;
  #state: SeenState | null = null;
  #turn: Promise<void> = Promise.resolve();

  /** @param onNewest told of each state that is followed to */
  constructor(follower: SnapshotFollower, onNewest: (searcher: Searcher) => void) {
    this.#follower = follower;
    this.#onNewest = onNewest;
  }

  /** @throws TypeError before the first state, and once closed */
  get searcher(): Searcher {
    return this.#current().held.searcher;
  }

  /** Commits of the index since it was opened, up to this state. */
  get commits(): number {
    return this.#current().commits;
  }

  /** A searcher that stays as it is, whatever comes after it. */
  hold(): HeldSearcher {
    const state = this.#current();
    state.holders++;
    let isHeld = true;
    return {
      searcher: state.held.searcher,
      release() {
        if (isHeld) letGo(state);
        isHeld = false;
      },
    };
  }

  /** Goes on to a newer state; those that were held stay. Resolves when searches see it. */
  follow(snapshot: SharedSnapshot, commits: number): Promise<void> {
    const turn = this.#turn.then(async () => {
      const previous = this.#state;
      this.#state = { held: await this.#follower.open(snapshot), commits, holders: 1 };
      if (previous !== null) letGo(previous);
      this.#onNewest(this.searcher);
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Lets go of the newest state, after what is under way. */
  async close(): Promise<void> {
    await this.#turn;
    if (this.#state !== null) letGo(this.#state);
    this.#state = null;
  }

  #current(): SeenState {
    if (this.#state === null) throw new TypeError("the index has no state to search");
    return this.#state;
  }
}

function letGo(state: SeenState): void {
  if (--state.holders === 0) state.held.release();
}
