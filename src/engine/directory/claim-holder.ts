import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { systemErrorCode } from "./storage-error.js";

/**
 * Who has put up a claim, and where: what others need to tell whether it still runs, and to name it. What the
 * system doesn't tell (outside Linux), and what programs of before didn't write down, is null.
 */
export interface ClaimHolder {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process. */
  readonly startTime: string | null;
  /** Changes with every boot of the machine; all its containers see the same. */
  readonly bootId: string | null;
  /** Process numbers mean something only inside their namespace, such as a container. */
  readonly pidNamespace: string | null;
  readonly hostname: string;
  /** The claim's file as it was made: a copy is another file. */
  readonly file: FileIdentity | null;
  /** Whether a socket beside the claim answers for as long as the process runs. */
  readonly hasSocket: boolean;
}

/** Numbers that a file has for as long as it exists, as decimal digits: of the file system, and in it. */
export interface FileIdentity {
  readonly device: string;
  readonly inode: string;
}

/** What a process is to others. */
export type ProcessIdentity = Omit<ClaimHolder, "file" | "hasSocket">;

export async function identifyThisProcess(): Promise<ProcessIdentity> {
  return {
    pid: process.pid,
    startTime: (await readProcessStat("self"))?.startTime ?? null,
    bootId: await readFile("/proc/sys/kernel/random/boot_id", "utf8").then(
      (text) => text.trim(),
      () => null,
    ),
    pidNamespace: await readlink("/proc/self/ns/pid").catch(() => null),
    hostname: hostname(),
  };
}

/** Whether two processes have run on one machine, between the same two boots. False where that can't be known. */
export function isSameMachine(one: ProcessIdentity, other: ProcessIdentity): boolean {
  if (one.bootId !== null || other.bootId !== null) return one.bootId === other.bootId;
  return process.platform !== "linux" && one.hostname === other.hostname;
}

/** Whether the holder runs; null where its number tells nothing here, as it is of another machine or container. */
export async function isRunning(holder: ProcessIdentity, self: ProcessIdentity): Promise<boolean | null> {
  if (!isSameMachine(holder, self) || holder.pidNamespace !== self.pidNamespace) return null;
  if (!isProcess(holder.pid)) return false;
  if (holder.startTime === null) return true;
  const stat = await readProcessStat(String(holder.pid));
  return stat !== null && !stat.isZombie && stat.startTime === holder.startTime;
}

/** Reads a holder that was written as JSON; null if the text is something else. */
export function parseClaimHolder(text: string): ClaimHolder | null {
  const value = parseObject(text);
  if (value === null) return null;
  const { pid, startTime, bootId, pidNamespace, hostname: host, file, hasSocket } = value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0 || typeof host !== "string")
    return null;
  return {
    pid,
    startTime: textOrNull(startTime),
    bootId: textOrNull(bootId),
    pidNamespace: textOrNull(pidNamespace),
    hostname: host,
    file: fileOrNull(file),
    hasSocket: hasSocket === true,
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? (value as Readonly<Record<string, unknown>> | null) : null;
  } catch {
    return null;
  }
}

function fileOrNull(value: unknown): FileIdentity | null {
  if (typeof value !== "object" || value === null) return null;
  const { device, inode } = value as Readonly<Record<string, unknown>>;
  return typeof device === "string" && typeof inode === "string" ? { device, inode } : null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, under another user.
    return systemErrorCode(error) !== "ESRCH";
  }
}

/** From `/proc/<pid>/stat`; null if there is no such file. */
async function readProcessStat(pid: string): Promise<{ startTime: string; isZombie: boolean } | null> {
  let text: string;
  try {
    text = await readFile(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null;
  }
  // The second field is the command in parentheses, which may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const startTime = fields[19];
  if (startTime === undefined) return null;
  return { startTime, isZombie: fields[0] === "Z" || fields[0] === "X" };
}
