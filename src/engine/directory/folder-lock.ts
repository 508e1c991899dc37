import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rename, rm } from "node:fs/promises";
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
const ATTEMPTS = 10;

/** A claim that stands in the way; `holder` is null if its file holds no identity. */
interface RivalClaim {
  readonly name: string;
  readonly holder: ProcessIdentity | null;
}

/**
 * Lets one process at a time write to a folder.
 *
 * Every contender first puts up a claim, a file `.lock-<random>` with its identity, and then looks
 * for others. It holds the lock if it sees none, and takes its claim down otherwise. Of two
 * contenders, the one that puts up its claim later sees the other's, so both can never hold the lock
 * (both can back off, hence the attempts). Claims of processes that are gone are deleted by whoever
 * sees them; since no two claims share a name, that can't hit a live one, however many race.
 *
 * @throws FindlingError `storage_locked` naming the folder and the holder
 */
export async function lockFolder(folder: string): Promise<{ release(): Promise<void> }> {
  const self = await identifyThisProcess();
  let seenBefore: ReadonlySet<string> = new Set();
  for (let attempt = 1; ; attempt++) {
    const claim = await putUpClaim(folder, self);
    if (claim === null) continue;
    const rivals = await findRivals(folder, claim, self);
    if (rivals.length === 0) return { release: () => takeDownClaim(folder, claim) };
    await takeDownClaim(folder, claim);

    // Contenders come back with new claims: a claim seen twice is the holder's.
    const holder = rivals.find((rival) => seenBefore.has(rival.name));
    if (holder !== undefined || attempt >= ATTEMPTS) throw lockedError(folder, holder ?? rivals[0]!, self);
    seenBefore = new Set(rivals.map((rival) => rival.name));
    await pause(20 + Math.random() * 60);
  }
}

/** Returns the claim's name; null if the holder's cleaning took the unfinished file away. */
async function putUpClaim(folder: string, self: ProcessIdentity): Promise<string | null> {
  const claim = CLAIM_PREFIX + randomUUID();
  const unfinished = join(folder, `${claim}.tmp`);
  try {
    const handle = await open(unfinished, "wx");
    try {
      await writeFully(handle, new TextEncoder().encode(`${JSON.stringify(self)}\n`), 0);
      // Synced first, so that a power loss can't leave a claim whose holder nobody can tell.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, join(folder, claim));
    return claim;
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    if (systemErrorCode(error) === "ENOENT" && (await folderExists(folder))) return null;
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
      const holder = parseProcessIdentity(text);
      if (holder !== null && (await isGone(holder, self))) await rm(join(folder, name), { force: true });
      else rivals.push({ name, holder });
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
