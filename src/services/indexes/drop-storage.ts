import type { Logger } from "../../ports/logger.js";
import type { SearchBackend, StorageId } from "../../ports/search-backend.js";

/** Deletes storage that no index names any more: a failure costs disk space only until the next start. */
export async function dropStorage(
  { backend, logger }: { readonly backend: SearchBackend; readonly logger: Logger },
  indexName: string,
  storageId: StorageId,
): Promise<void> {
  try {
    await backend.dropIndex(storageId);
  } catch (error) {
    logger.warn("storage that is no longer used can't be removed", { index: indexName, storageId }, error);
  }
}
