import type { DocId } from "../../schema/document.js";
import type { SlicedChunks } from "../sliced-work.js";
import { BLOCK_LENGTH } from "./doc-store-format.js";
import type { DocStoreReader, DocumentVisitor } from "./doc-store-reader.js";
import type { DocStoreWriter } from "./doc-store-writer.js";

/** Blocks copied between two pauses; a power of two. */
const BLOCKS_PER_STEP = 8;

/** Who looks at blocks that pass. */
export interface BlockViewer {
  /**
   * @param bytes of the block as it lies in the file, header included, their checksum verified; valid during
   *   the call
   */
  see(block: number, bytes: Uint8Array): void;
}

/**
 * Copies the documents that are kept from a store to a new one, and yields the new file's bytes so far.
 * Blocks without a deleted document are copied as they lie in the file. Holds one block at a time beside
 * what the writer holds.
 *
 * @param docMap old doc id to new, ascending without gaps; -1 for a document that is dropped
 * @param viewer if any: sees each block that holds a kept document, in order
 * @throws CorruptionError naming the file
 */
export function* copyDocuments(
  writer: DocStoreWriter,
  store: DocStoreReader,
  docMap: Int32Array,
  viewer: BlockViewer | null,
): SlicedChunks {
  let lengthMax = BLOCK_LENGTH;
  const visit: DocumentVisitor = (docId, stored, unstored) => {
    if (docMap[docId]! >= 0) writer.append(stored, unstored, lengthMax);
  };
  /** Documents of the block at hand that are kept. */
  let kept = 0;
  const isKept = (block: number): boolean => {
    kept = keptBetween(docMap, store.blockFirstDoc(block), store.blockEndDoc(block));
    return kept > 0;
  };
  for (const { block, bytes } of store.blocksInOrder(isKept)) {
    const isWhole = kept === store.blockEndDoc(block) - store.blockFirstDoc(block);
    if (isWhole && writer.takesBlock) {
      writer.appendBlock(bytes, kept);
    } else {
      // One that is whole goes into what is open, which ends with it, so that the next can be copied.
      lengthMax = isWhole ? 2 * BLOCK_LENGTH : BLOCK_LENGTH;
      store.forEachOfBlock(block, visit, bytes);
      if (isWhole) writer.closeBlock();
    }
    viewer?.see(block, bytes);
    for (const chunk of writer.takeChunks()) yield chunk;
    if ((block & (BLOCKS_PER_STEP - 1)) === BLOCKS_PER_STEP - 1) yield;
  }
}

function keptBetween(docMap: Int32Array, first: DocId, end: DocId): number {
  let kept = 0;
  for (let docId = first; docId < end; docId++) if (docMap[docId]! >= 0) kept++;
  return kept;
}
