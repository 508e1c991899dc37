import { join } from "node:path";
import { FindlingError } from "../../errors/index.js";
import type { CatalogIndex } from "../../ports/catalog.js";
import { FileCatalog } from "./file-catalog.js";
import { SECRET_KEY_FILE } from "./secret-key-ring.js";

export type { CatalogIndex } from "../../ports/catalog.js";

/**
 * Names storage in the catalog of a data folder that this process holds. A catalog that is missing is made.
 *
 * @throws FindlingError `index_exists` if the name is taken, or the storage named already; `storage_unavailable`,
 * `storage_corrupt`
 */
export async function adoptIndex(
  dataDir: string,
  entry: CatalogIndex,
  configuredKey: string | undefined,
): Promise<void> {
  const catalog = await FileCatalog.open(
    join(dataDir, "catalog"),
    { keyFile: join(dataDir, SECRET_KEY_FILE), configuredKey },
    { storageRoot: join(dataDir, "indexes") },
  );
  try {
    const owner = catalog.indexes().find(({ storageId }) => storageId === entry.storageId);
    if (owner !== undefined) {
      const problem = `'${entry.storageId}' is not set aside: it is the storage of index '${owner.schema.name}'`;
      throw new FindlingError("index_exists", problem);
    }
    if (catalog.index(entry.schema.name) !== undefined) {
      const problem = `there is another index '${entry.schema.name}'; give this one another name with --name`;
      throw new FindlingError("index_exists", problem);
    }
    await catalog.putIndex(entry);
  } finally {
    await catalog.close();
  }
}
