/** Packages as `npm pack` makes them of what is built, unpacked in folders of their own. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const PROJECT: string = fileURLToPath(new URL("../../", import.meta.url));

export interface Packed {
  /** What the package holds, as it lies in `node_modules`. */
  readonly folder: string;
  /** Paths of its files from there. */
  readonly files: readonly string[];
  remove(): void;
}

/** @param workspace the folder of one, or none for the server's package */
export function pack(workspace?: string): Packed {
  const folder = mkdtempSync(join(tmpdir(), "findling-packed-"));
  const chosen = workspace === undefined ? [] : ["--workspace", workspace];
  // What `prepack` does as well, once everything is built.
  run(PROJECT, process.execPath, "scripts/package-contents.mjs");
  run(
    PROJECT,
    "npm",
    "pack",
    ...chosen,
    "--ignore-scripts",
    "--loglevel=error",
    "--pack-destination",
    folder,
  );
  const [archive] = readdirSync(folder);
  run(folder, "tar", "-xzf", archive!);
  const unpacked = join(folder, "package");
  return {
    folder: unpacked,
    files: filesBelow(unpacked),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Makes packages of the project's own `node_modules` available to a folder, as if only they were installed. */
export function installed(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(PROJECT, "node_modules", name), link);
  }
}

/** @throws Error with what the program said if it fails */
export function run(cwd: string, program: string, ...parameters: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${parameters.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
