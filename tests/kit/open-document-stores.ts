import { readdirSync, readlinkSync } from "node:fs";

/** How many document stores below a folder this process has open, deleted ones included. For Linux. */
export function openDocumentStoresIn(folder: string): number {
  return readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(folder) && target.includes(".doc");
    } catch {
      // Closed meanwhile.
      return false;
    }
  }).length;
}
