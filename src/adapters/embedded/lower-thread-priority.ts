import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";

/**
 * How far threads step back behind those that answer requests and search, which are at 0: nice values of
 * the scheduler. Each step is worth a quarter of the other's time, and only while all processors are busy.
 */
export const THREAD_NICENESS = {
  /** Commits of single documents are waited for, so it keeps a third of the time of a thread at 0. */
  writing: 5,
  /** Nobody waits for merges, but they must keep up with the writes: a third of the writing thread's. */
  merging: 10,
} as const;

/**
 * Lowers the priority of the calling thread, and of the threads that it starts from now on. Nothing
 * happens where the system knows priorities of processes only, and where the thread's is as low already:
 * raising one again takes rights that a server doesn't have.
 */
export function lowerThreadPriority(niceness: number): void {
  // The number of a thread is good for a process's only on Linux.
  if (process.platform !== "linux") return;
  try {
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    if (getPriority(thread) < niceness) setPriority(thread, niceness);
  } catch {
    // Without /proc, or where it is forbidden, the thread does its work as before.
  }
}
