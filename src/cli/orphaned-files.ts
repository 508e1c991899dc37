import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { StoredIndex } from "../adapters/catalog/read-data-folder.js";

/** Something in a data folder that no part of it names. */
export interface OrphanedFile {
  /** From the data folder on. */
  readonly path: string;
  readonly what: string;
}

/** What a data folder has at its top. */
const PARTS: ReadonlySet<string> = new Set(["catalog", "indexes", "measure", "secret.key"]);
const INDEX_FILE = /^(commit-[0-9a-f]{8}|journal-[0-9a-f]{8}|s[0-9a-f]{8}\.(idx|doc|live-[0-9a-f]{8}))$/;
/** The copy of the catalog's entry. */
const INDEX_DESCRIPTION = /^index(\.[0-9a-f]+)?\.json$/;
const EVENT_FILE = /^(events\.duckdb(\.wal)?|waiting|temporary|incoming)$/;

/**
 * Files and folders of a data folder that nothing needs: what a crash has left for the next start to clear away, and what
 * isn't Findling's. They do no harm. Folders that hold an index are told of elsewhere (`findSetAside`). Reads only.
 */
export function findOrphans(dataDir: string, named: readonly StoredIndex[]): readonly OrphanedFile[] {
  const orphans: OrphanedFile[] = [];
  const add = (path: string, what: string): void => {
    orphans.push({ path: relative(dataDir, path), what });
  };
  for (const { name } of entriesOf(dataDir)) {
    if (PARTS.has(name) || name.startsWith(".lock") || name === ".restoring") continue;
    add(join(dataDir, name), leftBehind(name) ?? "no part of a data folder");
  }
  for (const folder of ["", "indexes", "federations"]) {
    for (const entry of entriesOf(join(dataDir, "catalog", folder))) {
      if (entry.isDirectory() || entry.name.endsWith(".json")) continue;
      add(join(dataDir, "catalog", folder, entry.name), leftBehind(entry.name) ?? "no file of the catalog");
    }
  }
  const known = new Set(named.map(({ folder }) => folder));
  for (const entry of entriesOf(join(dataDir, "indexes"))) {
    const folder = join(dataDir, "indexes", entry.name);
    if (!entry.isDirectory()) add(folder, "no folder of an index");
    else if (!known.has(folder) && existsSync(join(folder, ".disposable")))
      add(folder, "left by a crash while an index was made or deleted; the next start clears it away");
  }
  for (const { folder } of named) {
    for (const { name } of entriesOf(folder)) {
      if (INDEX_FILE.test(name) || INDEX_DESCRIPTION.test(name) || /^\.(lock|disposable)/.test(name))
        continue;
      add(join(folder, name), leftBehind(name) ?? "no file of an index");
    }
  }
  for (const { name } of entriesOf(join(dataDir, "measure"))) {
    if (!EVENT_FILE.test(name)) add(join(dataDir, "measure", name), "no file of the usage events");
  }
  return orphans;
}

function leftBehind(name: string): string | null {
  if (name.endsWith(".tmp")) return "left by a write that a crash cut off; the next start clears it away";
  if (/\.damaged(-\d+)?$/.test(name)) return "kept of a damaged file, in whose place there is another now";
  return name === "catalog.restoring" ? "left by a restore that was cut off" : null;
}

function entriesOf(folder: string): readonly { readonly name: string; isDirectory(): boolean }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
