import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { StoredIndex } from "../adapters/catalog/read-data-folder.js";
import { formatCounted } from "./terminal/format-amount.js";

/** Storage that holds an index which the catalog doesn't name. */
export interface SetAsideFolder {
  /** What `findling adopt` wants to be told. */
  readonly storage: string;
  readonly folder: string;
  /** As its own description has it; null if there is none. */
  readonly name: string | null;
  /** Committed documents of its newest commit point; null if that can't be read. */
  readonly documents: number | null;
}

/** Folders of a data folder that no start touches since their catalog entry is lost. Reads only. */
export async function findSetAside(
  dataDir: string,
  named: readonly StoredIndex[],
): Promise<readonly SetAsideFolder[]> {
  const { FileDirectory, glanceAtIndex, holdsData, isDisposable } = await import("../engine/server-door.js");
  const root = join(dataDir, "indexes");
  if (!existsSync(root)) return [];
  const known = new Set(named.map(({ folder }) => folder));
  const found: SetAsideFolder[] = [];
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const folder = join(root, entry.name);
    if (!entry.isDirectory() || known.has(folder) || isDisposable(folder)) continue;
    const directory = await FileDirectory.open(folder, { create: false });
    if (!(await holdsData(directory))) continue;
    const documents = await glanceAtIndex(directory).then(
      ({ documentCount }) => documentCount,
      () => null,
    );
    found.push({ storage: entry.name, folder, name: await nameOf(folder), documents });
  }
  return found;
}

export function describeSetAside({ storage, folder, name, documents }: SetAsideFolder): {
  readonly finding: string;
  readonly advice: string;
} {
  const what = name === null ? "an index" : `index '${name}'`;
  const size = documents === null ? "" : ` of ${formatCounted(documents, "document")}`;
  const flag = name === null ? " --name NAME" : "";
  return {
    finding: `'${folder}' holds ${what}${size} that the catalog doesn't name`,
    advice: `stop the server, and take it back with 'findling adopt ${storage}${flag}', or delete the folder`,
  };
}

async function nameOf(folder: string): Promise<string | null> {
  const { readIndexDescription } = await import("../adapters/catalog/index-description.js");
  try {
    return readIndexDescription(folder)?.schema.name ?? null;
  } catch {
    return null;
  }
}
