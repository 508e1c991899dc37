import type { PostingImage } from "./posting-image.js";
import * as MEMBER from "./posting-list-members.js";

/**
 * Tells a list where the blocks of its field lie.
 *
 * @param words of the memory
 * @param at the list's first word
 */
export function layFieldBlocks(words: Int32Array, at: number, image: PostingImage): void {
  words[at + MEMBER.LAST_DOCS] = image.lastDocs;
  words[at + MEMBER.DATA_OFFSETS] = image.dataOffsets;
  words[at + MEMBER.DOC_BITS] = image.docBits;
  words[at + MEMBER.FREQ_BITS] = image.freqBits;
  words[at + MEMBER.DATA] = image.data;
}
