/** A file system of a few KiB, for tests of what happens when one is full. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

export interface SmallDisk {
  readonly path: string;
  unmount(): void;
}

/**
 * Mounts one below a folder.
 *
 * @returns null where the system doesn't let this process mount
 * @throws Error with `FINDLING_TEST_ALL=1` in place of null
 */
export function mountSmallDisk(folder: string, bytes: number): SmallDisk | null {
  const path = join(folder, "disk");
  mkdirSync(path);
  const mount = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path]);
  if (mount.status === 0) return { path, unmount: () => void execFileSync("umount", ["--lazy", path]) };
  if (process.env["FINDLING_TEST_ALL"] === "1") throw new Error(`mounting failed: ${String(mount.stderr)}`);
  return null;
}
