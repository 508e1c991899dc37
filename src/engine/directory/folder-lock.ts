import { randomUUID } from "node:crypto";
import { constants, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { FindlingError } from "../../errors/index.js";
import { writeFully } from "./file-append.js";
import {
  identifyThisProcess,
  isGone,
  type ProcessIdentity,
  parseProcessIdentity,
} from "./process-identity.js";
import { storageError, systemErrorCode } from "./storage-error.js";

const CLAIM_PREFIX = ".lock-";
/** Added to a claim's file once its owner holds the lock. */
const HELD = "held\n";
/** How long contenders sort out among themselves who gets the lock. */
const CONTENTION_MS_MAX = 5000;

/** A claim that stands in the way; `holder` is null if its file holds no identity. */
interface RivalClaim {
  readonly name: string;
  readonly holder: ProcessIdentity | null;
  readonly isHeld: boolean;
}

/**
 * Lets one process at a time write to a folder.
 *
 * Every contender first puts up a claim, a file `.lock-<random>` with its identity, and then looks
 * for others. It holds the lock once it sees none: of two contenders, the one that puts up its claim
 * later sees the other's, so both can never hold it. Who sees a held claim gives up; among claims
 * that aren't held, all but the least name take theirs down and come again with new ones, so one is
 * left. Claims of processes that are gone are deleted by whoever sees them; since no two claims ever
 * share a name, that can't hit a live one, however many race.
 *
 * @throws FindlingError `storage_locked` naming the folder and the holder
 */
export async function lockFolder(folder: string): Promise<{ release(): Promise<void> }> {
  const self = await identifyThisProcess();
  const deadline = performance.now() + CONTENTION_MS_MAX;
  for (let claim = await putUpClaim(folder, self); ; ) {
    const rivals = await findRivals(folder, claim, self);
    if (rivals.length === 0) {
      await hold(folder, claim);
      return { release: () => takeDownClaim(folder, claim) };
    }
    const holder = rivals.find((rival) => rival.isHeld || rival.holder === null);
    if (holder !== undefined || performance.now() > deadline) {
      await takeDownClaim(folder, claim);
      throw lockedError(folder, holder ?? rivals[0]!, self);
    }
    const yields = rivals.some((rival) => rival.name < claim);
    if (yields) await takeDownClaim(folder, claim);
    await pause(10 + Math.random() * 30);
    if (yields) claim = await putUpClaim(folder, self);
  }
}

/** Returns the claim's name. */
async function putUpClaim(folder: string, self: ProcessIdentity): Promise<string> {
  const claim = CLAIM_PREFIX + randomUUID();
  const unfinished = join(folder, `${claim}.tmp`);
  try {
    const handle = await open(unfinished, "wx");
    try {
      await writeFully(handle.fd, new TextEncoder().encode(`${JSON.stringify(self)}\n`), 0);
      // Synced first, so that a power loss can't leave a claim whose holder nobody can tell.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, join(folder, claim));
    return claim;
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    // The lock's holder, cleaning up, took the unfinished file away.
    if (systemErrorCode(error) === "ENOENT" && (await folderExists(folder)))
      return await putUpClaim(folder, self);
    throw storageError("lock", folder, error);
  }
}

async function hold(folder: string, claim: string): Promise<void> {
  try {
    // Without O_CREAT: a claim that is gone mustn't come back without its identity.
    const handle = await open(join(folder, claim), constants.O_WRONLY | constants.O_APPEND);
    try {
      await handle.write(HELD);
    } finally {
      await handle.close();
    }
  } catch (error) {
    await takeDownClaim(folder, claim).catch(() => undefined);
    throw storageError("lock", folder, error);
  }
}

async function takeDownClaim(folder: string, claim: string): Promise<void> {
  try {
    await rm(join(folder, claim), { force: true });
  } catch (error) {
    throw storageError("unlock", folder, error);
  }
}

/** Claims of others that aren't certainly gone. Deletes those that are. */
async function findRivals(folder: string, own: string, self: ProcessIdentity): Promise<RivalClaim[]> {
  const rivals: RivalClaim[] = [];
  try {
    for (const name of await readdir(folder)) {
      if (!name.startsWith(CLAIM_PREFIX) || name.endsWith(".tmp") || name === own) continue;
      const text = await readIfThere(join(folder, name));
      if (text === null) continue;
      const holder = parseProcessIdentity(text.split("\n", 1)[0]!);
      if (holder !== null && (await isGone(holder, self))) await rm(join(folder, name), { force: true });
      else rivals.push({ name, holder, isHeld: text.endsWith(HELD) });
    }
  } catch (error) {
    await takeDownClaim(folder, own).catch(() => undefined);
    throw storageError("lock", folder, error);
  }
  return rivals;
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

async function folderExists(folder: string): Promise<boolean> {
  return readdir(folder).then(
    () => true,
    () => false,
  );
}

function lockedError(folder: string, rival: RivalClaim, self: ProcessIdentity): FindlingError {
  const { holder } = rival;
  const remedy = `if it runs no more, delete '${join(folder, rival.name)}'`;
  if (holder === null) {
    return new FindlingError(
      "storage_locked",
      `folder '${folder}' is locked by an unknown process; ${remedy}`,
    );
  }
  if (holder.pid === self.pid && holder.startTime === self.startTime && holder.hostname === self.hostname) {
    return new FindlingError(
      "storage_locked",
      `folder '${folder}' is locked by this process (${self.pid}); open it only once`,
    );
  }
  if (holder.hostname === self.hostname) {
    return new FindlingError(
      "storage_locked",
      `folder '${folder}' is locked by process ${holder.pid}; stop that process first`,
    );
  }
  const where = `process ${holder.pid} of host '${holder.hostname}'`;
  return new FindlingError(
    "storage_locked",
    `folder '${folder}' is locked by ${where}; stop it first, or, ${remedy}`,
  );
}
