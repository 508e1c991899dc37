import { readdirSync, readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";

/**
 * How far threads step back behind those that answer requests and search, which are at 0: nice values of
 * the scheduler. Each step is worth a quarter of the other's time, and only while all processors are busy.
 */
export const THREAD_NICENESS = {
  /** Commits of single documents are waited for, so it keeps a third of the time of a thread at 0. */
  writing: 5,
  /** Nobody waits for merges, but they must keep up with the writes: nearly the writing thread's time. */
  merging: 6,
  /**
   * Those that the runtime brings along: they collect the garbage of all threads and compile, five seconds
   * in fourteen while documents are loaded, and do what waits for the disk.
   */
  runtime: 5,
} as const;

/**
 * Lowers the priority of the calling thread, and of the threads that it starts from now on. Nothing
 * happens where the system knows priorities of processes only, and where the thread's is as low already:
 * raising one again takes rights that a server doesn't have.
 */
export function lowerThreadPriority(niceness: number): void {
  if (!knowsThreads) return;
  try {
    lower(callingThread(), niceness);
  } catch {
    // Without /proc, or where it is forbidden, the thread does its work as before.
  }
}

/**
 * Lowers that of all other threads that the process has now. At its start these are the runtime's own; later
 * on also those of whoever else works in it.
 */
export function lowerOtherThreads(niceness: number): void {
  if (!knowsThreads) return;
  try {
    const own = callingThread();
    for (const name of readdirSync("/proc/self/task"))
      if (Number(name) !== own) lower(Number(name), niceness);
  } catch {
    // As above; or a thread has just ended.
  }
}

/** The number of a thread is good where one of a process is wanted only on Linux. */
const knowsThreads = process.platform === "linux";

function callingThread(): number {
  return Number(basename(readlinkSync("/proc/thread-self")));
}

function lower(thread: number, niceness: number): void {
  if (getPriority(thread) < niceness) setPriority(thread, niceness);
}
