import { type FileHandle, lstat, open, readdir, rename, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type ClaimHolder,
  type FileIdentity,
  isRunning,
  isSameMachine,
  type ProcessIdentity,
  parseClaimHolder,
} from "./claim-holder.js";
import { askSocket, ClaimSocket } from "./claim-socket.js";
import { writeFully } from "./file-append.js";
import { isWantOfRoom, systemErrorCode } from "./storage-error.js";

/** Milliseconds between two signs of life that a holder gives by the time of its claim's file. */
export const HEARTBEAT_MS = 2000;
/** Without a sign of life for so long, a claim that can be judged in no other way is nobody's any more. */
export const SILENCE_MS: number = 5 * HEARTBEAT_MS;

const CLAIM_NAME = /^\.lock-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SOCKET_SUFFIX = ".socket";
/** A claim's file while its owner contends, and once it holds the folder. A change of it needs no room on the disk. */
const MODE = { contending: 0o644, held: 0o444 };
/** How programs that had no sockets marked that they hold the folder. */
const HELD_LINE = "held\n";

/** File systems that one machine alone has mounted, by Linux's numbers for them. */
const LOCAL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0xca451a4e, // bcachefs
  0x01021994, // tmpfs
  0x794c7630, // overlay
]);

/** Somebody's claim of a folder that isn't certainly over. */
export interface RivalClaim {
  readonly folder: string;
  readonly name: string;
  /** Null if its file doesn't say. */
  readonly holder: ClaimHolder | null;
  /** Whether its owner has the folder, or contends for it. */
  readonly isHeld: boolean;
  /** False: it may be one that nobody has any more, which only time can tell. */
  readonly isCertain: boolean;
}

/** A claim of this process: a file that says whose it is, with a socket beside it that was there before. */
export class OwnClaim {
  readonly folder: string;
  readonly name: string;
  readonly #file: FileHandle;
  readonly #socket: ClaimSocket | null;

  private constructor(folder: string, name: string, file: FileHandle, socket: ClaimSocket | null) {
    this.folder = folder;
    this.name = name;
    this.#file = file;
    this.#socket = socket;
  }

  /** @throws the system's error */
  static async putUp(folder: string, self: ProcessIdentity): Promise<OwnClaim> {
    const name = `.lock-${crypto.randomUUID()}`;
    const unfinished = join(folder, `${name}.tmp`);
    let socket: ClaimSocket | null = null;
    let file: FileHandle | null = null;
    try {
      socket = await ClaimSocket.listen(folder, name + SOCKET_SUFFIX);
      file = await open(unfinished, "wx", MODE.contending);
      const holder: ClaimHolder = { ...self, file: await identityOf(file), hasSocket: socket !== null };
      await describe(file, holder);
      await rename(unfinished, join(folder, name));
      return new OwnClaim(folder, name, file, socket);
    } catch (error) {
      await file?.close().catch(() => undefined);
      await rm(unfinished, { force: true }).catch(() => undefined);
      await socket?.close().catch(() => undefined);
      // The folder's holder, cleaning up, took the unfinished file or the socket away.
      if (systemErrorCode(error) === "ENOENT" && (await exists(folder))) return OwnClaim.putUp(folder, self);
      throw error;
    }
  }

  /** Whether others find it and its socket as they were put up. */
  async stands(): Promise<boolean> {
    if ((await this.#file.stat()).nlink === 0) return false;
    return this.#socket === null || (await exists(join(this.folder, this.name + SOCKET_SUFFIX)));
  }

  async markHeld(): Promise<void> {
    // Where it can't be marked, others find out by waiting.
    await this.#file.chmod(MODE.held).catch(() => undefined);
  }

  /** A sign of life for those that no socket can tell: on other machines. */
  async beat(): Promise<void> {
    const now = new Date();
    await this.#file.utimes(now, now);
  }

  async takeDown(): Promise<void> {
    try {
      await rm(join(this.folder, this.name), { force: true });
    } finally {
      await this.#socket?.close();
      await this.#file.close();
    }
  }
}

/** Looks at the claims of folders, and deletes those that are certainly over. Remembers what it saw the last time. */
export class ClaimWatch {
  readonly #self: ProcessIdentity;
  readonly #now: () => number;
  /** The last sign of life of claims that can't be judged at once, by path. */
  readonly #seen = new Map<string, { readonly beat: string; readonly since: number }>();

  constructor(self: ProcessIdentity, now: () => number) {
    this.#self = self;
    this.#now = now;
  }

  /** Claims of others than `own` in a folder. @throws the system's error */
  async rivalsIn(folder: string, own: string | null): Promise<readonly RivalClaim[]> {
    const rivals: RivalClaim[] = [];
    for (const name of await readdir(folder)) {
      if (!CLAIM_NAME.test(name) || name === own) continue;
      const rival = await this.#judge(folder, name);
      if (rival === "over") await remove(folder, name);
      else if (rival !== "missing") rivals.push(rival);
    }
    return rivals;
  }

  async #judge(folder: string, name: string): Promise<RivalClaim | "over" | "missing"> {
    const found = await readClaim(join(folder, name));
    if (found === null) return "missing";
    const { holder, isHeld } = found;
    const standing = await this.#standing(folder, name, found);
    if (standing === "over") return "over";
    return { folder, name, holder, isHeld, isCertain: standing === "held" };
  }

  async #standing(folder: string, name: string, found: FoundClaim): Promise<"held" | "over" | "uncertain"> {
    const { holder, identity } = found;
    const answer = await askSocket(folder, name + SOCKET_SUFFIX);
    if (answer === "listens") return "held";
    if (holder === null) return this.#byItsBeats(join(folder, name), found);
    if (holder.file !== null && (await isCopy(holder.file, identity, holder, this.#self, folder)))
      return "over";
    const isHere = isSameMachine(holder, this.#self) && holder.file?.device === identity.device;
    // The system has one socket for this file, whichever way leads to it, and nobody listens.
    if (isHere && holder.hasSocket && answer === "refuses") return "over";
    if (!holder.hasSocket) {
      const runs = await isRunning(holder, this.#self);
      if (runs !== null) return runs ? "held" : "over";
    }
    return this.#byItsBeats(join(folder, name), found);
  }

  #byItsBeats(path: string, { beat }: FoundClaim): "held" | "over" | "uncertain" {
    const seen = this.#seen.get(path);
    const now = this.#now();
    if (seen === undefined) {
      this.#seen.set(path, { beat, since: now });
      return "uncertain";
    }
    if (seen.beat !== beat) return "held";
    return now - seen.since < SILENCE_MS ? "uncertain" : "over";
  }
}

/** Whether there is a claim of whomever, over or not. @throws the system's error */
export async function hasClaims(folder: string): Promise<boolean> {
  return (await readdir(folder)).some((name) => CLAIM_NAME.test(name));
}

/** Deletes sockets that claims left behind. For who holds the folder: a contender finds out and comes again. */
export async function deleteLeftSockets(folder: string): Promise<void> {
  const names = new Set(await readdir(folder));
  for (const name of names) {
    if (!name.endsWith(SOCKET_SUFFIX)) continue;
    const claim = name.slice(0, -SOCKET_SUFFIX.length);
    if (CLAIM_NAME.test(claim) && !names.has(claim)) await rm(join(folder, name), { force: true });
  }
}

interface FoundClaim {
  readonly holder: ClaimHolder | null;
  readonly isHeld: boolean;
  readonly identity: FileIdentity;
  /** Changes with each sign of life. */
  readonly beat: string;
}

/** Null if it is gone. */
async function readClaim(path: string): Promise<FoundClaim | null> {
  try {
    // Opened each time: network file systems then ask for the file's time anew.
    const file = await open(path, "r");
    try {
      const { mtimeNs, mode } = await file.stat({ bigint: true });
      const text = await file.readFile("utf8");
      return {
        holder: parseClaimHolder(text.split("\n", 1)[0]!),
        isHeld: (mode & 0o222n) === 0n || text.endsWith(HELD_LINE),
        identity: await identityOf(file),
        beat: String(mtimeNs),
      };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/**
 * Whether a claim's file is certainly not the one that its holder has put up, but a copy of it. Where others than this
 * machine may have the file system mounted, or this one twice, numbers of files can differ from view to view.
 */
async function isCopy(
  original: FileIdentity,
  found: FileIdentity,
  holder: ClaimHolder,
  self: ProcessIdentity,
  folder: string,
): Promise<boolean> {
  if (isSameMachine(holder, self)) {
    if (original.device === found.device) return original.inode !== found.inode;
    return isLocal(folder);
  }
  return original.inode !== found.inode && (await isLocal(folder));
}

async function isLocal(folder: string): Promise<boolean> {
  if (process.platform !== "linux") return false;
  return LOCAL_FILE_SYSTEMS.has((await statfs(folder)).type);
}

async function identityOf(file: FileHandle): Promise<FileIdentity> {
  const { dev, ino } = await file.stat({ bigint: true });
  return { device: String(dev), inode: String(ino) };
}

/** Synced before it has its name, so that a power loss leaves no claim whose holder nobody can tell. */
async function describe(file: FileHandle, holder: ClaimHolder): Promise<void> {
  try {
    await writeFully(file.fd, new TextEncoder().encode(`${JSON.stringify(holder)}\n`), 0);
    await file.sync();
  } catch (error) {
    // On a full disk the claim is its name and its socket, and nobody can tell whose it is.
    if (!isWantOfRoom(error)) throw error;
    await file.truncate(0).catch(() => undefined);
  }
}

/** A claim that is over can stay where it can't be deleted. */
async function remove(folder: string, name: string): Promise<void> {
  await rm(join(folder, name), { force: true }).catch(() => undefined);
  await rm(join(folder, name + SOCKET_SUFFIX), { force: true }).catch(() => undefined);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** A claim of a data folder holds for the indexes in it, which lie two levels down. */
export function enclosingFolders(folder: string): readonly string[] {
  const parent = dirname(folder);
  return [...new Set([parent, dirname(parent)])].filter((each) => each !== folder);
}
