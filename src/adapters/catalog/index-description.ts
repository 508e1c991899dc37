import type { CatalogIndex } from "../../ports/catalog.js";
import { decodeCatalogFile } from "./catalog-file.js";
import { DurableFolder } from "./durable-folder.js";

/** In the folder of an index's storage: a copy of its catalog entry, by which it can be taken back if that is lost. */
const DESCRIPTION_FILE = "index.json";

/** @param entry as it lies in the catalog */
export async function describeIndex(folder: string, entry: Uint8Array): Promise<void> {
  const files = DurableFolder.existing(folder);
  const present = files.readNow(DESCRIPTION_FILE);
  if (present === null || Buffer.compare(present, entry) !== 0) await files.write(DESCRIPTION_FILE, entry);
}

/** Null in the folder of an index that no server has had since there are descriptions. @throws CorruptionError */
export function readIndexDescription(folder: string): CatalogIndex | null {
  const files = DurableFolder.existing(folder);
  const bytes = files.readNow(DESCRIPTION_FILE);
  if (bytes === null) return null;
  return decodeCatalogFile("index", bytes, files.fileOf(DESCRIPTION_FILE)) as CatalogIndex;
}
