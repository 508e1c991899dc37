import { setTimeout as pause } from "node:timers/promises";
import { FindlingError } from "../../errors/index.js";
import {
  type ClaimHolder,
  identifyThisProcess,
  isSameMachine,
  type ProcessIdentity,
} from "./claim-holder.js";
import {
  ClaimWatch,
  deleteLeftSockets,
  enclosingFolders,
  HEARTBEAT_MS,
  hasClaims,
  OwnClaim,
  type RivalClaim,
  SILENCE_MS,
} from "./claims.js";
import { storageError, systemErrorCode } from "./storage-error.js";

type Now = () => number;
const SYSTEM_NOW: Now = () => performance.now();

/** How long contenders sort out among themselves who gets the lock, beyond the time that one claim may be watched. */
const CONTENTION_MS_MAX = SILENCE_MS + 5000;

/**
 * Lets one process at a time write to a folder and to what lies in it.
 *
 * Every contender puts up a claim, a file `.lock-<random>` that says whose it is, beside a socket that listens for as
 * long as its process runs (`claims.ts` says which claims are over), and then looks for others. It has the folder once
 * it sees none: of two contenders, the one that puts up its claim later sees the other's, so both can never have it.
 * Who sees a held claim gives up; among those that contend all but the least name take theirs down, and come again
 * with new ones once they see none. Claims that are over are deleted by whoever sees them; since no two claims ever
 * share a name, that can't hit a live one, however many race.
 */
export class FolderLock {
  readonly #folder: string;
  readonly #self: ProcessIdentity;
  readonly #now: Now;
  #claim: OwnClaim | null;
  #lost: FindlingError | null = null;
  readonly #heartbeat: NodeJS.Timeout;
  #beating: Promise<void> = Promise.resolve();

  private constructor(folder: string, self: ProcessIdentity, claim: OwnClaim, now: Now) {
    this.#folder = folder;
    this.#self = self;
    this.#claim = claim;
    this.#now = now;
    this.#heartbeat = setInterval(() => {
      this.#beating = this.#beating.then(() => this.#beat());
    }, HEARTBEAT_MS).unref();
  }

  /**
   * @param now milliseconds from whenever
   * @throws FindlingError `storage_locked` naming the folder and the holder; `storage_unavailable` if the folder takes no
   * claim (`isWantOfRoom` says where it could still be read)
   */
  static async take(folder: string, now: Now = SYSTEM_NOW): Promise<FolderLock> {
    const self = await identifyThisProcess();
    try {
      return new FolderLock(folder, self, await takeClaim(folder, self, now), now);
    } catch (error) {
      throw storageError("lock", folder, error);
    }
  }

  /** Why the folder is this process's no more, though it hasn't released it; null while it is. */
  get lost(): FindlingError | null {
    return this.#lost;
  }

  /** Calling it again does nothing. */
  async release(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#beating;
    const claim = this.#claim;
    this.#claim = null;
    try {
      await claim?.takeDown();
    } catch (error) {
      throw storageError("unlock", this.#folder, error);
    }
  }

  /** Never rejects. */
  async #beat(): Promise<void> {
    const claim = this.#claim;
    if (claim === null) return;
    try {
      await claim.beat().catch(ignoreUnlessGone);
      if (await claim.stands().catch(isNotStale)) return;
      // Somebody has deleted it by hand, or has taken this process for gone while it stood still.
      await claim.takeDown().catch(() => undefined);
      this.#claim = null;
      this.#claim = await takeClaim(this.#folder, this.#self, this.#now);
    } catch (error) {
      this.#lost = storageError("lock", this.#folder, error);
    }
  }
}

/** @throws FindlingError `storage_locked` if somebody has a lock on this very folder */
export async function requireUnlocked(folder: string): Promise<void> {
  try {
    if (!(await hasClaims(folder))) return;
    const self = await identifyThisProcess();
    const watch = new ClaimWatch(self, SYSTEM_NOW);
    await untilNobodyContends(
      () => watch.rivalsIn(folder, null),
      self,
      () => false,
    );
  } catch (error) {
    throw storageError("open", folder, error);
  }
}

async function takeClaim(folder: string, self: ProcessIdentity, now: Now): Promise<OwnClaim> {
  const watch = new ClaimWatch(self, now);
  const start = now();
  const isLate = (): boolean => now() - start > CONTENTION_MS_MAX;
  for (;;) {
    await untilNobodyContends(() => rivalsOf(folder, null, watch), self, isLate);
    const claim = await OwnClaim.putUp(folder, self);
    try {
      if (await isLeftAlone(claim, watch, self, isLate)) {
        await claim.markHeld();
        await deleteLeftSockets(folder);
        return claim;
      }
    } catch (error) {
      await claim.takeDown().catch(() => undefined);
      throw error;
    }
    await claim.takeDown();
    await briefly();
  }
}

/** Waits, without a claim of its own, until there is none. @throws as `FolderLock.take` */
async function untilNobodyContends(
  look: () => Promise<readonly RivalClaim[]>,
  self: ProcessIdentity,
  isLate: () => boolean,
): Promise<void> {
  for (;;) {
    const rivals = await look();
    if (rivals.length === 0) return;
    refuse(rivals, self, isLate());
    await briefly();
  }
}

/** Whether others have made room for the claim; else it has to make room for them. @throws as `FolderLock.take` */
async function isLeftAlone(
  claim: OwnClaim,
  watch: ClaimWatch,
  self: ProcessIdentity,
  isLate: () => boolean,
): Promise<boolean> {
  for (;;) {
    const rivals = await rivalsOf(claim.folder, claim.name, watch);
    // Who held the folder until now may have taken its socket for one that was left behind.
    if (rivals.length === 0) return await claim.stands();
    refuse(rivals, self, isLate());
    if (rivals.some(({ folder, name }) => folder !== claim.folder || name < claim.name)) return false;
    await briefly();
  }
}

async function rivalsOf(
  folder: string,
  own: string | null,
  watch: ClaimWatch,
): Promise<readonly RivalClaim[]> {
  const rivals = [...(await watch.rivalsIn(folder, own))];
  for (const enclosing of enclosingFolders(folder)) {
    // What can't be read holds no data folder of this user.
    rivals.push(...(await watch.rivalsIn(enclosing, null).catch(() => [])));
  }
  return rivals;
}

function refuse(rivals: readonly RivalClaim[], self: ProcessIdentity, isLate: boolean): void {
  const holder = rivals.find((rival) => rival.isHeld && rival.isCertain);
  if (holder !== undefined || isLate) throw lockedError(holder ?? rivals[0]!, self);
}

function briefly(): Promise<void> {
  return pause(10 + Math.random() * 30);
}

function ignoreUnlessGone(error: unknown): void {
  if (systemErrorCode(error) === "ESTALE") throw error;
}

/** A claim that can't be looked at now may still stand; one that a network file system has lost doesn't. */
function isNotStale(error: unknown): boolean {
  return systemErrorCode(error) !== "ESTALE";
}

function lockedError({ folder, holder }: RivalClaim, self: ProcessIdentity): FindlingError {
  return new FindlingError("storage_locked", `folder '${folder}' is locked by ${describe(holder, self)}`);
}

function describe(holder: ClaimHolder | null, self: ProcessIdentity): string {
  if (holder === null) return "a process that could not say which; stop it first";
  const { pid, hostname } = holder;
  if (!isSameMachine(holder, self))
    return `process ${pid} of host '${hostname}', another machine; stop it first`;
  if (holder.pidNamespace !== self.pidNamespace)
    return `process ${pid} of another container or namespace of this machine (host name '${hostname}'); stop it first`;
  if (pid === self.pid) return `this process (${pid}); open it only once`;
  return `process ${pid}; stop that process first`;
}
