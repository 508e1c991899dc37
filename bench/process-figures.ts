/** What Linux tells of a process and of a folder. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What Linux counts processor time in, on every platform that Node runs on. */
const CLOCK_TICKS_PER_SECOND = 100;

/** Processor time so far in seconds, of all the process's threads. */
export function cpuSecondsOf(pid: number): number {
  // The program's name, in parentheses, may hold spaces; utime and stime are the 14th and 15th field.
  const status = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [userTicks, systemTicks] = status.slice(status.lastIndexOf(")")).split(" ").slice(12, 14);
  return (Number(userTicks) + Number(systemTicks)) / CLOCK_TICKS_PER_SECOND;
}

/** Processor time so far in seconds of the threads that are there, to the nanosecond. */
export function liveCpuSecondsOf(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)[0]);
    } catch {
      return 0; // It has ended since the folder was read.
    }
  });
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9;
}

/** Resident memory in bytes, and the most that it has been. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0);
  return { now: kilobytes("VmRSS") * 1024, peak: kilobytes("VmHWM") * 1024 };
}

export function bytesUnder(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
