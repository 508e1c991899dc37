import { type FindlingClient, FindlingClientError } from "../../client/index.js";
import { writesInDoubt } from "./document-importer.js";
import type { ImportProgress, InputPrefix } from "./import-progress-file.js";

/**
 * Where an import that stopped has to go on. Rolls pending writes back first, so that what the index
 * then shows is all that it will ever have of them.
 *
 * @throws CliError where it can't be told
 */
export async function findResumePoint(
  client: FindlingClient,
  progress: ImportProgress,
): Promise<InputPrefix> {
  await client.rollbackIndex(progress.index);
  const { inDoubt } = progress;
  if (inDoubt === undefined) return progress.committed;
  if (inDoubt.documentId === null) throw writesInDoubt(progress.index, progress.committed, inDoubt.upTo);
  try {
    await client.getDocument(progress.index, inDoubt.documentId);
    return inDoubt.upTo;
  } catch (error) {
    if (error instanceof FindlingClientError && error.code === "document_not_found")
      return progress.committed;
    throw error;
  }
}
