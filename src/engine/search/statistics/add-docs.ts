import { setBit } from "../../bytes/bitset.js";
import type { DocId } from "../../schema/document.js";
import type { DocBits, FieldTerms } from "../../segment/segment-reader.js";

/**
 * Sets the bits of a term's documents from one to before another; the first one's bit is the first.
 *
 * @param from a multiple of 32
 */
export function addDocs(terms: FieldTerms, ordinal: number, docs: DocBits, from: DocId, end: DocId): void {
  const dense = terms.denseDocs(ordinal);
  if (dense !== null) {
    const first = from >>> 5;
    const words = Math.min(docs.length, dense.length - first);
    for (let word = 0; word < words; word++) docs[word]! |= dense[first + word]!;
    return;
  }
  const cursor = terms.postings(ordinal);
  for (let block = cursor.seekBlock(from); block < cursor.blockCount; block++) {
    cursor.loadBlock(block);
    for (let index = 0; index < cursor.length; index++) {
      const docId = cursor.docs[index]!;
      if (docId >= end) return;
      if (docId >= from) setBit(docs, docId - from);
    }
  }
}
