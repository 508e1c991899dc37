import type { CatalogIndex } from "../../ports/catalog.js";
import { decodeCatalogFile } from "./catalog-file.js";
import { DurableFolder } from "./durable-folder.js";

/** In the folder of an index's storage: a copy of its catalog entry, by which it can be taken back if that is lost. */
const DESCRIPTION_FILE = "index.json";

/** @param entry as it lies in the catalog */
export async function describeIndex(folder: string, entry: Uint8Array): Promise<void> {
  const files = DurableFolder.existing(folder);
  const present = files.readNow(DESCRIPTION_FILE);
  if (present === null || !isCopyOf(present, entry)) await files.write(DESCRIPTION_FILE, entry);
}

/** Also where an earlier version has written the same content behind another first line: a start needn't write all anew. */
function isCopyOf(present: Uint8Array, entry: Uint8Array): boolean {
  if (Buffer.compare(contentOf(present), contentOf(entry)) !== 0) return false;
  try {
    decodeCatalogFile("index", present, DESCRIPTION_FILE);
    return true;
  } catch {
    return false;
  }
}

function contentOf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(bytes.indexOf(LINE_FEED));
}

const LINE_FEED = 0x0a;

/** Null in the folder of an index that no server has had since there are descriptions. @throws CorruptionError */
export function readIndexDescription(folder: string): CatalogIndex | null {
  const files = DurableFolder.existing(folder);
  const bytes = files.readNow(DESCRIPTION_FILE);
  if (bytes === null) return null;
  return decodeCatalogFile("index", bytes, files.fileOf(DESCRIPTION_FILE)) as CatalogIndex;
}
