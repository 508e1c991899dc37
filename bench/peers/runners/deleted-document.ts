/**
 * Which documents a layout deletes: the same ones in every engine, spread as if at random
 * (`bench/native/tantivy/src/deleted_document.rs` is its twin).
 *
 * @param ordinal place in the input
 * @param share of all documents
 */
export function isDeleted(ordinal: number, share: number): boolean {
  let h = (ordinal + 1) | 0;
  // The finalizer of MurmurHash3.
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0 < share * 2 ** 32;
}
