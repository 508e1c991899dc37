import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";

const PIECE_LENGTH = 1 << 20;

/** Reads files once, so that the next reads of them, mapped or not, come from the page cache. */
export function readIntoPageCache(files: readonly string[]): void {
  const piece = new Uint8Array(PIECE_LENGTH);
  for (const file of files) {
    const descriptor = openSync(file, "r");
    while (readSync(descriptor, piece) > 0);
    closeSync(descriptor);
  }
}

/**
 * Makes the next reads of files come from the disk; no effect where `dd` can't do it. What a process has mapped and
 * touched stays.
 */
export function evictFromPageCache(files: readonly string[]): void {
  for (const file of files) spawnSync("dd", [`if=${file}`, "iflag=nocache", "count=0"], { stdio: "ignore" });
}
