import type { Directory } from "../directory/directory.js";
import { readCommitPoint } from "../indexer/open-index-writer.js";
import type { EngineSchema } from "../schema/engine-schema.js";

/** The schema of an index that isn't open. @throws CorruptionError; FindlingError `index_not_found`, `storage_unavailable` */
export async function readSchema(directory: Directory): Promise<EngineSchema> {
  return (await readCommitPoint(directory)).schema;
}
