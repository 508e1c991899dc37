import type { NewFiles } from "../directory/directory.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { ContainerWriter } from "./container/container-writer.js";
import {
  documentFileName,
  indexFileName,
  type SegmentFiles,
  schemaJson,
  segmentFileNames,
} from "./segment-files.js";

/** A container with what every index file starts with: the schema and the number of documents. */
export function newIndexFile(schema: EngineSchema, maxDoc: number): ContainerWriter {
  const container = new ContainerWriter();
  container.add("schema", new TextEncoder().encode(schemaJson(schema)));
  container.add("segment", Uint32Array.of(maxDoc));
  return container;
}

/**
 * Writes the files of a new segment, synced (in a batch: with it); the name must be free. On failure
 * none of them is left.
 *
 * @throws FindlingError `storage_unavailable`
 */
export async function writeSegmentFiles(
  directory: NewFiles,
  name: string,
  maxDoc: number,
  index: ContainerWriter,
  documents: readonly Uint8Array[],
): Promise<SegmentFiles> {
  const indexChunks = index.chunks();
  try {
    await directory.write(documentFileName(name), documents);
    await directory.write(indexFileName(name), indexChunks);
  } catch (error) {
    for (const file of segmentFileNames(name)) await directory.delete(file).catch(() => undefined);
    throw error;
  }
  const bytes = byteLength(indexChunks) + byteLength(documents);
  return { name, maxDoc, bytes, files: segmentFileNames(name) };
}

function byteLength(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}
