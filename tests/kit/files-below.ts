import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Contents of all files of a folder, by path. Servers may be writing there: a file that was seen, but is gone when
 * it is read, is left out, as what a commit leaves without use is deleted behind its back.
 */
export function filesBelow(folder: string): ReadonlyMap<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    try {
      contents.set(path, readFileSync(path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return contents;
}
