import type { FileOwner } from "../bytes/file-owner.js";
import type { FileChunks, NewFiles } from "../directory/directory.js";
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
export function newIndexFile(schema: EngineSchema, maxDoc: number, owner: FileOwner): ContainerWriter {
  const container = new ContainerWriter(owner);
  container.add("schema", new TextEncoder().encode(schemaJson(schema)));
  container.add("segment", Uint32Array.of(maxDoc));
  return container;
}

/**
 * Writes the files of a new segment, synced (in a batch: with it); the name must be free. On failure
 * none of them is left.
 *
 * @param index asked for once the documents are written
 * @throws FindlingError `storage_unavailable`; what making documents or index throws
 */
export async function writeSegmentFiles(
  directory: NewFiles,
  { name, maxDoc, owner }: Pick<SegmentFiles, "name" | "maxDoc" | "owner">,
  index: FileChunks,
  documents: FileChunks,
): Promise<SegmentFiles> {
  let bytes = 0;
  async function* counted(chunks: FileChunks): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  try {
    await directory.write(documentFileName(name), counted(documents));
    await directory.write(indexFileName(name), counted(index));
  } catch (error) {
    for (const file of segmentFileNames(name)) await directory.delete(file).catch(() => undefined);
    throw error;
  }
  return { name, owner, maxDoc, bytes, files: segmentFileNames(name) };
}
