import { randomUUID } from "node:crypto";
import { FindlingError } from "../../errors/index.js";
import type { SearchCaller, StorageId } from "../../ports/search-backend.js";
import type { IndexState, IndexStates, VersionedState } from "./index-states.js";
import { LeaseCaller } from "./lease-caller.js";
import { LeaseLength } from "./lease-length.js";

/** How much longer others wait for it: for what has been sent by then, and clocks that don't agree. */
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
  /** Gone once the turn is over: then nothing more may be sent, as another server may have committed. */
  readonly caller: SearchCaller;
  /** Marks what is written in this turn. */
  readonly operation: string;
  /**
   * Notes in the index's state that the operation has begun, before it does what one request doesn't do whole: unless
   * the turn comes to its end, all of it is undone. Once is enough; again does nothing.
   */
  announce(): Promise<void>;
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
  /** All that is pending. */
  rollback(turn: WriteTurn): Promise<void>;
  operations(operations: readonly string[], turn: WriteTurn): Promise<void>;
}

/**
 * Whose turn it is to write one index. Writes of all servers go on beside each other; a commit, a rollback or a delete
 * by query goes alone: it announces itself in the index's state, and waits until no other server writes. So nothing
 * lands in a generation after it has been committed. Servers that die are waited for until their lease ends; what they
 * have done by halves is undone by who is alone next.
 */
export class WriteTurns {
  readonly #states: IndexStates;
  readonly #storageId: StorageId;
  readonly #server: string;
  readonly #undoing: Undoing;
  readonly #lease = new LeaseLength();
  #users = 0;
  /** This server as a writer: the generation that it writes to, since when and until when. */
  #writer: {
    readonly pending: number;
    readonly countsLive: boolean;
    readonly since: number;
    readonly until: number;
  } | null = null;
  /** The state as this server last changed it. */
  #seen: VersionedState | undefined;
  #linger: NodeJS.Timeout | undefined;
  #endRenewing: (() => void) | undefined;
  /** Settles when the last one who waits or works alone here is done. */
  #alone: Promise<unknown> = Promise.resolve();
  #waitingAlone = 0;
  #entering: Promise<void> | null = null;
  /** Users that wait to become writers. */
  #entrants = 0;
  #idle: (() => void)[] = [];
  /** Settles when others know that work alone here has failed, or go by its lease. */
  #releasing: Promise<void> = Promise.resolve();

  constructor(
    states: IndexStates,
    storageId: StorageId,
    { server, undoing }: { readonly server: string; readonly undoing: Undoing },
  ) {
    this.#states = states;
    this.#storageId = storageId;
    this.#server = server;
    this.#undoing = undoing;
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
      await this.#enter();
      const { pending, countsLive } = this.#writer!;
      const lease = new LeaseCaller(() => (this.#writer?.pending === pending ? this.#writer.until : 0));
      return await this.#inTime(lease, async () => {
        const turn = this.#newTurn(pending, lease, { countsLive });
        const result = await write(turn);
        await turn.end();
        if (lease.isGone) throw tooLate();
        return result;
      });
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
      this.#writer = null;
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
    let { state } = await this.#hold();
    let { until } = state.hold!;
    const endRenewing = this.#renewed(async () => {
      const { hold } = (
        await this.#change(
          (now) => (isHeldBy(now, this.#server) ? { ...now, hold: this.#newHold() } : now),
          this.#seen,
        )
      ).state;
      if (hold?.holder === this.#server) until = Math.max(until, hold.until);
    });
    try {
      // Whoever writes has to be through, or to have been silent for longer than its lease.
      const giveUpAt = Date.now() + WAIT_MS;
      while (otherWriters(state, this.#server).length > 0) {
        if (Date.now() > giveUpAt) throw busy();
        await pause(POLL_MS);
        ({ state } = await this.#states.require(this.#storageId));
        if (!isHeldBy(state, this.#server)) throw tooLate();
      }
      const lease = new LeaseCaller(() => until);
      return await this.#inTime(lease, async () => {
        const turn = this.#newTurn(state.generation + 1, lease, state);
        state = await this.#mended(state, turn);
        const { result, change } = await work(state, turn);
        endRenewing();
        await this.#states.change(this.#storageId, (now) => {
          if (!isHolder(now, this.#server)) throw tooLate();
          return { ...(change === undefined ? now : change(now)), hold: null, operations: [] };
        });
        return result;
      });
    } catch (error) {
      endRenewing();
      this.#releasing = this.#say(until, (now) =>
        isHeldBy(now, this.#server) ? { ...now, hold: null } : now,
      );
      throw error;
    }
  }

  /** Nobody writes but this server: what others, or failed writes of its own, have left half done is undone. */
  async #mended(state: IndexState, turn: WriteTurn): Promise<IndexState> {
    const { operations } = state;
    if (operations.length > 0) {
      await this.#undoing.operations(operations, turn);
      ({ state } = await this.#states.change(this.#storageId, (now) => ({ ...now, operations: [] })));
    }
    if (state.isRollingBack) {
      await this.#undoing.rollback(turn);
      ({ state } = await this.#states.change(this.#storageId, rolledBack));
    }
    return state;
  }

  #newTurn(
    pending: number,
    caller: SearchCaller,
    { countsLive }: Pick<IndexState, "countsLive">,
  ): WriteTurn & { end(): Promise<void> } {
    const operation = randomUUID();
    let announced: Promise<unknown> | undefined;
    return {
      pending,
      caller,
      operation,
      announce: async () => {
        announced ??= this.#change((now) => ({
          ...now,
          hasPending: true,
          operations: [...now.operations, operation],
        }));
        await announced;
      },
      noteLoss: async () => {
        // Nobody makes it true while there are turns.
        if (countsLive !== true) return;
        await this.#change((now) => ({ ...now, countsLive: false }));
      },
      end: async () => {
        if (announced === undefined) return;
        await this.#change((now) => {
          // Somebody has taken the server for dead, and has undone it.
          if (!now.operations.includes(operation)) throw tooLate();
          return { ...now, operations: now.operations.filter((each) => each !== operation) };
        });
      },
    };
  }

  /** Ends a write with its lease, which is renewed meanwhile. */
  async #inTime<T>(lease: LeaseCaller, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      throw lease.isGone ? tooLate() : error;
    } finally {
      lease.end();
    }
  }

  /** What others wait for is said again where the cluster doesn't take it, as long as they wait. */
  async #say(until: number, change: (state: IndexState) => IndexState): Promise<void> {
    while (Date.now() < until) {
      try {
        await this.#states.change(this.#storageId, change);
        return;
      } catch (error) {
        const { code } = error as FindlingError;
        if (code !== "storage_unavailable" && code !== "rate_limited") return;
        await pause(SAY_AGAIN_MS);
      }
    }
  }

  async #hold(): ReturnType<IndexStates["change"]> {
    // Else it would be this hold that is let go of.
    await this.#releasing;
    const giveUpAt = Date.now() + WAIT_MS;
    for (;;) {
      const held = await this.#change((state) => {
        if (state.isReplaced) throw replaced();
        // Who holds it waits for its writers, of which this server may be one from before.
        const left = withoutWriter(state, this.#server);
        return isHeldByOther(state, this.#server) ? left : { ...left, hold: this.#newHold() };
      });
      if (isHeldBy(held.state, this.#server)) return held;
      if (Date.now() > giveUpAt) throw busy();
      await pause(POLL_MS);
    }
  }

  #newHold(): NonNullable<IndexState["hold"]> {
    return { holder: this.#server, until: Date.now() + this.#lease.ms };
  }

  /** Becomes a writer, unless this server is one: all who enter meanwhile wait for the same. */
  async #enter(): Promise<void> {
    const isFresh =
      this.#writer !== null &&
      Date.now() - this.#writer.since < FRESH_MS &&
      this.#writer.until - Date.now() > this.#lease.leastMs;
    if (!isFresh) {
      this.#entrants++;
      try {
        this.#entering ??= this.#becomeWriter()
          .catch((error: unknown) => {
            // The cluster may have taken it without a word.
            void this.#sayLeft(Date.now() + this.#lease.ms);
            throw error;
          })
          .finally(() => {
            this.#entering = null;
          });
        await this.#entering;
      } finally {
        this.#entrants--;
      }
    }
    this.#endRenewing ??= this.#renewed(() => this.#renew());
    // A cluster that is busy with documents may have taken long to note it.
    const { ms, renewMs } = this.#lease;
    if (this.#writer !== null && this.#writer.until - Date.now() < ms - renewMs)
      this.#renew().catch(() => undefined);
  }

  /** Renews a lease again and again, until what is returned is called. */
  #renewed(renew: () => Promise<void>): () => void {
    let timer: NodeJS.Timeout;
    const next = (): void => {
      timer = setTimeout(() => {
        renew().catch(() => undefined);
        next();
      }, this.#lease.renewMs);
    };
    next();
    return () => clearTimeout(timer);
  }

  /** Changes the state, and remembers it for the next renewal. */
  async #change(change: (state: IndexState) => IndexState, from?: VersionedState): Promise<VersionedState> {
    const begun = performance.now();
    const changed = await this.#states.change(this.#storageId, change, from);
    this.#lease.noteChange(performance.now() - begun);
    if (this.#seen === undefined || isNewer(changed, this.#seen)) this.#seen = changed;
    return changed;
  }

  async #becomeWriter(): Promise<void> {
    const giveUpAt = Date.now() + WAIT_MS;
    for (;;) {
      let until = 0;
      const { state } = await this.#change((now) => {
        if (now.isReplaced) throw replaced();
        // Those who write already may go on; whoever comes now waits for who wants to be alone.
        if (now.isRollingBack || isHeldByOther(now, this.#server)) return now;
        until = Date.now() + this.#lease.ms;
        return {
          ...now,
          hasPending: true,
          hold: null,
          writers: { ...current(now.writers), [this.#server]: until },
        };
      });
      if (state.writers[this.#server] === until) {
        // The cluster may have taken as long as the lease; the next one is longer.
        if (until - Date.now() <= this.#lease.leastMs) {
          if (Date.now() > giveUpAt) throw tooLate();
          continue;
        }
        const { generation, countsLive = false } = state;
        this.#writer = { pending: generation + 1, countsLive, since: Date.now(), until };
        return;
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
    const writer = this.#writer;
    if (writer === null) return;
    let until = 0;
    const { state } = await this.#change((now) => {
      until = Date.now() + this.#lease.ms;
      const noted = now.writers[this.#server];
      if (noted === undefined || noted < Date.now() || noted >= until) return now;
      return { ...now, writers: { ...now.writers, [this.#server]: until } };
    }, this.#seen);
    // Another one that began meanwhile may have come through before.
    const present = this.#writer;
    if (state.writers[this.#server] === until && present?.since === writer.since && present.until < until)
      this.#writer = { ...present, until };
  }

  /** @param isEntering whether it is who becomes a writer that leaves before */
  async #leave(isEntering = false): Promise<void> {
    if (this.#writer === null) return;
    const { until } = this.#writer;
    this.#writer = null;
    await this.#sayLeft(until, isEntering);
  }

  async #sayLeft(until: number, isEntering = false): Promise<void> {
    await this.#say(until, (state) => {
      const isBack = this.#writer !== null || (this.#entering !== null && !isEntering);
      return isBack ? state : withoutWriter(state, this.#server);
    });
  }
}

/** What a rollback leaves, once what was pending is undone. */
export function rolledBack(state: IndexState): IndexState {
  return { ...state, isRollingBack: false, hasPending: false };
}

function current(writers: IndexState["writers"]): IndexState["writers"] {
  const now = Date.now() - GRACE_MS;
  return Object.fromEntries(Object.entries(writers).filter(([, until]) => until > now));
}

/** The state itself where the server is none. */
function withoutWriter(state: IndexState, server: string): IndexState {
  if (state.writers[server] === undefined) return state;
  const { [server]: _, ...writers } = state.writers;
  return { ...state, writers };
}

function otherWriters({ writers }: IndexState, server: string): readonly string[] {
  return Object.keys(current(writers)).filter((each) => each !== server);
}

function isHeldBy({ hold }: IndexState, server: string): boolean {
  return hold?.holder === server && hold.until > Date.now();
}

/**
 * Whether nobody has gone on, also where the hold has ended: who does takes it out of the state. That is enough for the last
 * step, which compares and sets the state once all that was sent is answered.
 */
function isHolder({ hold }: IndexState, server: string): boolean {
  return hold?.holder === server;
}

function isHeldByOther({ hold }: IndexState, server: string): boolean {
  return hold !== null && hold.holder !== server && hold.until + GRACE_MS > Date.now();
}

function isNewer(state: VersionedState, other: VersionedState): boolean {
  if (state.primaryTerm !== other.primaryTerm) return state.primaryTerm > other.primaryTerm;
  return state.seqNo > other.seqNo;
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

function tooLate(): FindlingError {
  return new FindlingError(
    "storage_unavailable",
    "the OpenSearch cluster took so long that another server may have gone on; what was sent may be pending",
    { retryAfterSeconds: 1 },
  );
}

function replaced(): FindlingError {
  return new FindlingError("storage_unavailable", "the index is being replaced by a copy; try again", {
    retryAfterSeconds: 1,
  });
}
