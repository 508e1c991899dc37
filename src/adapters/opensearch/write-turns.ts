import { randomUUID } from "node:crypto";
import { FindlingError } from "../../errors/index.js";
import type { StorageId } from "../../ports/search-backend.js";
import type { IndexState, IndexStates, VersionedState } from "./index-states.js";
import { Lease, tooLate } from "./lease.js";
import { StateChanges } from "./state-changes.js";
import type { WriteWindow } from "./write-window.js";

/** How much longer others wait for a lease's end: for what has been sent by then to arrive, and clocks that don't agree. */
const GRACE_MS = 1_200;
/** After so long a server looks whether another one waits to commit. */
const FRESH_MS = 1_000;
/** How long a server stays a writer after its last write. */
const LINGER_MS = 100;
const POLL_MS = 25;
/** How often a server that couldn't say that it has ended tries again, as others wait for it. */
const SAY_AGAIN_MS = 250;
/** How long a write or commit waits for its turn. */
const WAIT_MS = 20_000;

/** A server's turn to write, beside others or alone. */
export interface WriteTurn {
  /** The generation that what is written belongs to. */
  readonly pending: number;
  /** What is sent waits until it is valid, and is given up as it ends. */
  readonly lease: Lease;
  /** Marks what is written in this turn. */
  readonly operation: string;
  /**
   * Notes in the index's state that the operation has begun, before it does what one request doesn't do whole: unless
   * the turn comes to its end, all of it is undone. Once is enough; again does nothing.
   */
  announce(): Promise<void>;
  /** Changes the index's state. @throws FindlingError `storage_unavailable` if another server has gone on */
  change(change: (state: IndexState) => IndexState): Promise<VersionedState>;
  /** Notes in the index's state, before documents die or are taken back, that the cluster's statistics go on counting them. */
  noteLoss(): Promise<void>;
}

/** What is done alone. @returns besides the result what is done to the state as the last step */
type WorkAlone<T> = (
  state: IndexState,
  turn: WriteTurn,
) => Promise<{ readonly result: T; readonly change?: (state: IndexState) => IndexState }>;

/** What an interrupted server leaves to the next one; doing it again is harmless. */
export interface Undoing {
  /** Resolves once the cluster has carried out what others have sent: what comes later would be in no commit. */
  settle(turn: WriteTurn): Promise<void>;
  /** All that is pending. */
  rollback(turn: WriteTurn): Promise<void>;
  operations(operations: readonly string[], turn: WriteTurn): Promise<void>;
}

/** A server as a writer, from its entry in the state until it leaves or is taken out as one that has died. */
interface Tenure {
  /** The generation that it writes to. */
  readonly pending: number;
  readonly countsLive: boolean;
  readonly lease: Lease;
  /** When it was last seen that nobody waits to be alone. */
  readonly since: number;
}

/**
 * Whose turn it is to write one index. Writes of all servers go on beside each other; a commit, a rollback or a delete
 * by query goes alone: it announces itself in the index's state, and waits until no other server writes. So nothing
 * lands in a generation after it has been committed. Servers that die are waited for until their lease ends, and taken out
 * of the state; what they have done by halves is undone by who is alone next. A server that was only slow finds itself
 * there still, and goes on, or doesn't, and gives up.
 */
export class WriteTurns {
  readonly #states: Pick<IndexStates, "require">;
  readonly #storageId: StorageId;
  readonly #server: string;
  readonly #undoing: Undoing;
  readonly #changes: StateChanges;
  #users = 0;
  #tenure: Tenure | null = null;
  #linger: NodeJS.Timeout | undefined;
  #endRenewing: (() => void) | undefined;
  /** Settles when the last one who waits or works alone here is done. */
  #alone: Promise<unknown> = Promise.resolve();
  #waitingAlone = 0;
  #entering: Promise<Tenure> | null = null;
  /** Users that wait to become writers. */
  #entrants = 0;
  #idle: (() => void)[] = [];
  /**
   * Whether something that the state says nothing of may still be carried out: then this server goes out of it as one that
   * has died.
   */
  #mayComeLate = false;
  /** Settles when others know that work alone here has failed, or go by its lease. */
  #releasing: Promise<void> = Promise.resolve();

  constructor(
    states: Pick<IndexStates, "require" | "change">,
    storageId: StorageId,
    {
      server,
      undoing,
      window,
    }: { readonly server: string; readonly undoing: Undoing; readonly window: WriteWindow },
  ) {
    this.#states = states;
    this.#storageId = storageId;
    this.#server = server;
    this.#undoing = undoing;
    this.#changes = new StateChanges(states, storageId, window);
  }

  /** @throws FindlingError besides what the write throws: `storage_unavailable` if the turn ended before it was through */
  async shared<T>(write: (turn: WriteTurn) => Promise<T>): Promise<T> {
    const giveUpAt = Date.now() + WAIT_MS;
    while (this.#waitingAlone > 0)
      await within(
        giveUpAt - Date.now(),
        this.#alone.catch(() => undefined),
      );
    this.#users++;
    clearTimeout(this.#linger);
    try {
      const turn = this.#newTurn(await this.#enter(), isWriter);
      try {
        const result = await write(turn);
        await turn.end();
        return result;
      } catch (error) {
        this.#mayComeLate ||= !turn.isAnnounced;
        throw error;
      }
    } finally {
      this.#users--;
      if (this.#users === 0) {
        this.#endRenewing?.();
        this.#endRenewing = undefined;
        for (const wake of this.#idle.splice(0)) wake();
        this.#linger = setTimeout(() => void this.#leave(), LINGER_MS).unref();
      }
    }
  }

  async alone<T>(work: WorkAlone<T>): Promise<T> {
    this.#waitingAlone++;
    const before = this.#alone;
    let isGivenUp = false;
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const done = (async () => {
      await before.catch(() => undefined);
      while (this.#users > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
      if (isGivenUp) throw busy();
      begin();
      clearTimeout(this.#linger);
      this.#tenure = null;
      return this.#holding(work);
    })();
    this.#alone = done;
    try {
      await within(WAIT_MS, Promise.race([begun, done]));
      return await done;
    } catch (error) {
      isGivenUp = true;
      throw error;
    } finally {
      this.#waitingAlone--;
    }
  }

  /** Lets go of the turn; to be called when the process ends. */
  async close(): Promise<void> {
    clearTimeout(this.#linger);
    this.#endRenewing?.();
    await this.#alone.catch(() => undefined);
    await this.#releasing;
    await this.#leave();
  }

  async #holding<T>(work: WorkAlone<T>): Promise<T> {
    const { held, lease } = await this.#hold();
    const endRenewing = this.#renewed(async () => {
      let until = 0;
      await this.#changes.make(
        (now) => {
          until = 0;
          if (!isHeldBy(now, this.#server)) return now;
          const hold = this.#newHold();
          until = Math.max(now.hold!.until, hold.until);
          return { ...now, hold: { ...hold, until } };
        },
        { isRenewal: true },
      );
      if (until === 0) lease.lose();
      else lease.renew(until);
    });
    try {
      const { generation, countsLive = false } = held;
      const turn = this.#newTurn({ pending: generation + 1, countsLive, lease }, isHeldBy);
      const state = await this.#mended(await this.#withoutOthers(held, turn), turn);
      const { result, change } = await work(state, turn);
      endRenewing();
      await turn.change((now) => ({
        ...(change === undefined ? now : change(now)),
        hold: null,
        operations: [],
      }));
      return result;
    } catch (error) {
      endRenewing();
      this.#releasing = this.#say(lease.until, (now) =>
        isHeldBy(now, this.#server) ? { ...now, hold: null } : now,
      );
      throw error;
    }
  }

  /** Whoever writes has to be through, or to have been silent for longer than its lease, and is taken out of the state. */
  async #withoutOthers(held: IndexState, turn: WriteTurn): Promise<IndexState> {
    const giveUpAt = Date.now() + WAIT_MS;
    let state = held;
    while (Object.keys(state.writers).length > 0) {
      if (!isHeldBy(state, this.#server)) throw tooLate();
      const { writers } = state;
      if (Object.values(writers).some(isWaitedFor)) {
        if (Date.now() > giveUpAt) throw busy();
        await pause(POLL_MS);
        ({ state } = await this.#states.require(this.#storageId));
        continue;
      }
      // Before they are taken out, as whoever comes next wouldn't know that anything may be under way.
      await this.#undoing.settle(turn);
      ({ state } = await turn.change((now) => ({ ...now, writers: withoutSilent(now.writers, writers) })));
      this.#mayComeLate = false;
    }
    return state;
  }

  /** Nobody writes but this server: what others, or failed writes of its own, have left half done is undone. */
  async #mended(state: IndexState, turn: WriteTurn): Promise<IndexState> {
    const { operations } = state;
    if (operations.length > 0) {
      await this.#undoing.operations(operations, turn);
      ({ state } = await turn.change((now) => ({ ...now, operations: [] })));
    }
    if (state.isRollingBack) {
      await this.#undoing.rollback(turn);
      ({ state } = await turn.change(rolledBack));
    }
    return state;
  }

  /** @param isIn whether the state says that the turn lasts, and nobody has gone on without it */
  #newTurn(
    { pending, countsLive, lease }: Pick<Tenure, "pending" | "countsLive" | "lease">,
    isIn: (state: IndexState, server: string) => boolean,
  ): WriteTurn & { readonly isAnnounced: boolean; end(): Promise<void> } {
    const operation = randomUUID();
    let announced: Promise<unknown> | undefined;
    let isAnnounced = false;
    const change: WriteTurn["change"] = (make) =>
      this.#changes.make((now) => {
        if (lease.isLost || !isIn(now, this.#server)) throw tooLate();
        return make(now);
      });
    return {
      pending,
      lease,
      operation,
      change,
      get isAnnounced() {
        return isAnnounced;
      },
      announce: async () => {
        announced ??= change((now) => ({
          ...now,
          hasPending: true,
          operations: [...now.operations, operation],
        }));
        await announced;
        isAnnounced = true;
      },
      noteLoss: async () => {
        // Nobody makes it true while there are turns.
        if (countsLive) await change((now) => ({ ...now, countsLive: false }));
      },
      end: async () => {
        // Its last answer may have come after the lease, when another server had gone on.
        if (announced === undefined) return lease.valid();
        await change((now) => ({
          ...now,
          operations: now.operations.filter((each) => each !== operation),
        }));
      },
    };
  }

  /** What others wait for is said again where the cluster doesn't take it, as long as they wait. */
  async #say(until: number, change: (state: IndexState) => IndexState): Promise<void> {
    while (Date.now() < until) {
      try {
        await this.#changes.make(change);
        return;
      } catch (error) {
        const { code } = error as FindlingError;
        if (code !== "storage_unavailable" && code !== "rate_limited") return;
        await pause(SAY_AGAIN_MS);
      }
    }
  }

  async #hold(): Promise<{ readonly held: IndexState; readonly lease: Lease }> {
    // Else it would be this hold that is let go of.
    await this.#releasing;
    const giveUpAt = Date.now() + WAIT_MS;
    for (;;) {
      let until = 0;
      const { state } = await this.#changes.make((now) => {
        until = 0;
        if (now.isReplaced) throw replaced();
        // Who holds it waits for its writers, of which this server may be one from before.
        const left = this.#mayComeLate ? now : withoutWriter(now, this.#server);
        if (isHeldByOther(now, this.#server)) return left;
        const hold = this.#newHold();
        until = hold.until;
        return { ...left, hold };
      });
      if (until > 0) return { held: state, lease: new Lease(until) };
      if (Date.now() > giveUpAt) throw busy();
      await pause(POLL_MS);
    }
  }

  #newHold(): NonNullable<IndexState["hold"]> {
    return { holder: this.#server, until: Date.now() + this.#changes.lease.ms };
  }

  /** Becomes a writer, unless this server is one: all who enter meanwhile wait for the same. */
  async #enter(): Promise<Tenure> {
    let tenure = this.#tenure;
    if (tenure === null || tenure.lease.isLost || Date.now() - tenure.since >= FRESH_MS) {
      this.#entrants++;
      try {
        this.#entering ??= this.#becomeWriter()
          .catch((error: unknown) => {
            // The cluster may have taken it without a word.
            void this.#sayLeft(Date.now() + this.#changes.lease.ms);
            throw error;
          })
          .finally(() => {
            this.#entering = null;
          });
        tenure = await this.#entering;
      } finally {
        this.#entrants--;
      }
    }
    this.#endRenewing ??= this.#renewed(() => this.#renew());
    // A cluster that is busy with documents may have taken long to note it.
    const { ms, renewMs } = this.#changes.lease;
    if (tenure.lease.until - Date.now() < ms - renewMs) this.#renew().catch(() => undefined);
    return tenure;
  }

  /** Renews a lease again and again, until what is returned is called. */
  #renewed(renew: () => Promise<void>): () => void {
    let timer: NodeJS.Timeout;
    const next = (): void => {
      timer = setTimeout(() => {
        renew().catch(() => undefined);
        next();
      }, this.#changes.lease.renewMs);
    };
    next();
    return () => clearTimeout(timer);
  }

  async #becomeWriter(): Promise<Tenure> {
    const giveUpAt = Date.now() + WAIT_MS;
    for (;;) {
      let until = 0;
      const { state } = await this.#changes.make((now) => {
        until = 0;
        if (now.isReplaced) throw replaced();
        if (!isWriter(now, this.#server)) {
          this.#tenure?.lease.lose();
          // Who has taken it out has waited for what it had sent.
          this.#mayComeLate = false;
        }
        // Those who write already may go on; whoever comes now waits for who wants to be alone.
        if (now.isRollingBack || isHeldByOther(now, this.#server)) return now;
        until = Date.now() + this.#changes.lease.ms;
        const writers = { ...now.writers, [this.#server]: until };
        return { ...now, hasPending: true, hold: null, writers };
      });
      if (until > 0) {
        const { generation, countsLive = false } = state;
        const before = this.#tenure?.lease;
        const lease = before === undefined || before.isLost ? new Lease(until) : before;
        lease.renew(until);
        this.#tenure = { pending: generation + 1, countsLive, lease, since: Date.now() };
        return this.#tenure;
      }
      if (state.isRollingBack && !isHeldByOther(state, this.#server)) {
        await this.#holding(async () => ({ result: undefined }));
        continue;
      }
      if (Date.now() > giveUpAt) throw busy();
      // Who waits to be alone waits for this server as well, if it is a writer from before.
      if (this.#users === this.#entrants) await this.#leave(true);
      await pause(POLL_MS);
    }
  }

  /** What is being written goes on, even where another server waits to be alone. */
  async #renew(): Promise<void> {
    const tenure = this.#tenure;
    if (tenure === null) return;
    let until = 0;
    await this.#changes.make(
      (now) => {
        until = 0;
        if (!isWriter(now, this.#server)) return now;
        until = Math.max(now.writers[this.#server]!, Date.now() + this.#changes.lease.ms);
        return { ...now, writers: { ...now.writers, [this.#server]: until } };
      },
      { isRenewal: true },
    );
    if (until === 0) tenure.lease.lose();
    else tenure.lease.renew(until);
  }

  /** @param isEntering whether it is who becomes a writer that leaves before */
  async #leave(isEntering = false): Promise<void> {
    if (this.#tenure === null) return;
    const { until } = this.#tenure.lease;
    this.#tenure = null;
    await this.#sayLeft(until, isEntering);
  }

  async #sayLeft(until: number, isEntering = false): Promise<void> {
    if (this.#mayComeLate) return;
    await this.#say(until, (state) => {
      const isBack = this.#tenure !== null || (this.#entering !== null && !isEntering);
      return isBack ? state : withoutWriter(state, this.#server);
    });
  }
}

/** What a rollback leaves, once what was pending is undone. */
export function rolledBack(state: IndexState): IndexState {
  return { ...state, isRollingBack: false, hasPending: false };
}

/** Whether a writer may still send, or what it has sent may still arrive. */
function isWaitedFor(until: number): boolean {
  return until + GRACE_MS > Date.now();
}

/** Without those that have said nothing since they were silent. */
function withoutSilent(writers: IndexState["writers"], silent: IndexState["writers"]): IndexState["writers"] {
  return Object.fromEntries(Object.entries(writers).filter(([server, until]) => silent[server] !== until));
}

/** The state itself where the server is none. */
function withoutWriter(state: IndexState, server: string): IndexState {
  if (state.writers[server] === undefined) return state;
  const { [server]: _, ...writers } = state.writers;
  return { ...state, writers };
}

function isWriter({ writers }: IndexState, server: string): boolean {
  return writers[server] !== undefined;
}

/** Whether nobody has gone on since the server took hold of it, even if its lease has ended. */
function isHeldBy({ hold }: IndexState, server: string): boolean {
  return hold?.holder === server;
}

function isHeldByOther({ hold }: IndexState, server: string): boolean {
  return hold !== null && hold.holder !== server && hold.until + GRACE_MS > Date.now();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What the promise gives. @throws FindlingError `rate_limited` after so many milliseconds */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(busy()), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function busy(): FindlingError {
  return new FindlingError("rate_limited", "another server has been changing the index for long; try again", {
    retryAfterSeconds: 1,
  });
}

function replaced(): FindlingError {
  return new FindlingError("storage_unavailable", "the index is being replaced by a copy; try again", {
    retryAfterSeconds: 1,
  });
}
