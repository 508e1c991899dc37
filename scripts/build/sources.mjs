// What a step of the build is made from, as one digest: a step whose digest is that of its last run has nothing to do.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * @param folder below the project's root
 * @returns the paths of its TypeScript files, from the root, in order
 */
export function sourcesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort();
}

/** @param parts texts that matter beside the files, such as options */
export function digestOf(paths, ...parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  for (const path of paths)
    hash
      .update(path)
      .update("\0")
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex");
}

/** The release of a build tool that the project names, so that nothing has to be loaded to know it. */
export function releaseOf(tool) {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies[tool];
}

/** The text of a file below the root; empty if it isn't there. */
export function textOf(path) {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return "";
  }
}
