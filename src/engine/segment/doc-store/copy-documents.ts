import type { DocId } from "../../schema/document.js";
import type { SlicedChunks } from "../sliced-work.js";
import { BLOCK_LENGTH } from "./doc-store-format.js";
import type { DocStoreReader, DocumentVisitor } from "./doc-store-reader.js";
import type { DocStoreWriter } from "./doc-store-writer.js";

/** Blocks copied between two pauses; a power of two. */
const BLOCKS_PER_STEP = 8;

/** Who looks at documents that pass. */
export interface DocumentReader {
  /** Whether it wants to see this one; asked for kept documents. */
  wants(docId: DocId): boolean;
  read(docId: DocId, stored: Uint8Array, unstored: Uint8Array): void;
}

/**
 * Copies the documents that are kept from a store to a new one, and yields the new file's bytes so far.
 * Blocks without a deleted document are copied as they lie in the file, and decompressed only where
 * somebody wants to see one of their documents. Holds one block at a time beside what the writer holds.
 *
 * @param docMap old doc id to new, ascending without gaps; -1 for a document that is dropped
 * @throws CorruptionError naming the file
 */
export function* copyDocuments(
  writer: DocStoreWriter,
  store: DocStoreReader,
  docMap: Int32Array,
  reader: DocumentReader,
): SlicedChunks {
  let isAppended = false;
  let lengthMax = BLOCK_LENGTH;
  const visit: DocumentVisitor = (docId, stored, unstored) => {
    if (docMap[docId]! < 0) return;
    if (isAppended) writer.append(stored, unstored, lengthMax);
    if (reader.wants(docId)) reader.read(docId, stored, unstored);
  };
  for (let block = 0; block < store.blockCount; block++) {
    const first = store.blockFirstDoc(block);
    const end = store.blockEndDoc(block);
    const kept = keptBetween(docMap, first, end);
    if (kept > 0) {
      const bytes = store.readBlockBytes(block);
      const isWhole = kept === end - first;
      isAppended = !isWhole || !writer.takesBlock;
      if (!isAppended) writer.appendBlock(bytes, kept);
      // One that is whole goes into what is open, which ends with it, so that the next can be copied.
      lengthMax = isWhole ? 2 * BLOCK_LENGTH : BLOCK_LENGTH;
      if (isAppended || isAnyWanted(reader, first, end)) store.forEachOfBlock(block, visit, bytes);
      if (isAppended && isWhole) writer.closeBlock();
    }
    for (const chunk of writer.takeChunks()) yield chunk;
    if ((block & (BLOCKS_PER_STEP - 1)) === BLOCKS_PER_STEP - 1) yield;
  }
}

function keptBetween(docMap: Int32Array, first: DocId, end: DocId): number {
  let kept = 0;
  for (let docId = first; docId < end; docId++) if (docMap[docId]! >= 0) kept++;
  return kept;
}

function isAnyWanted(reader: DocumentReader, first: DocId, end: DocId): boolean {
  for (let docId = first; docId < end; docId++) if (reader.wants(docId)) return true;
  return false;
}
