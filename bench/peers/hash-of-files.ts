import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Short hash of the contents of files, and of all files under folders. */
export function hashOfFiles(
  paths: readonly string[],
  includes: (path: string) => boolean = () => true,
): string {
  const hash = createHash("sha256");
  for (const file of paths.flatMap(filesUnder).filter(includes)) hash.update(readFileSync(file)).update("\0");
  return hash.digest("hex").slice(0, 16);
}

function filesUnder(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}
