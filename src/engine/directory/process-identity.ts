import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { systemErrorCode } from "./storage-error.js";

/**
 * Tells a running process from one that is gone, even if its number has been given to another one
 * since. What the system doesn't tell (outside Linux) is null.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process. */
  readonly startTime: string | null;
  /** Changes with every boot of the machine. */
  readonly bootId: string | null;
  /** Process numbers mean something only inside their namespace, such as a container. */
  readonly pidNamespace: string | null;
  readonly hostname: string;
}

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

/**
 * Whether `holder` certainly runs no more. False when that can't be known from here: a process of
 * another machine, or of another container whose host name differs.
 */
export async function isGone(holder: ProcessIdentity, self: ProcessIdentity): Promise<boolean> {
  const sameHost = holder.hostname === self.hostname;
  // Another boot of the same host ended all its processes, as a restart of a container ended its own.
  if (holder.bootId !== self.bootId || holder.pidNamespace !== self.pidNamespace) return sameHost;
  if (holder.bootId === null && !sameHost) return false;
  if (!isRunning(holder.pid)) return true;
  if (holder.startTime === null) return false;
  const stat = await readProcessStat(String(holder.pid));
  return stat === null || stat.isZombie || stat.startTime !== holder.startTime;
}

/** Reads what `identifyThisProcess` found, written as JSON; null if the text is something else. */
export function parseProcessIdentity(text: string): ProcessIdentity | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { pid, startTime, bootId, pidNamespace, hostname: host } = value as Record<string, unknown>;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0 || typeof host !== "string")
    return null;
  return {
    pid,
    startTime: textOrNull(startTime),
    bootId: textOrNull(bootId),
    pidNamespace: textOrNull(pidNamespace),
    hostname: host,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function isRunning(pid: number): boolean {
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
