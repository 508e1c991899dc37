// AssemblyScript. Documents of many terms at once, such as the variants of a misspelt word: nothing is
// scored.

import { docAt, loadDocs, loadLastBlock } from "./posting-block";
import { PostingList } from "./posting-list";
import { pace } from "./pace";
import { orBits, setBit } from "./matches";

/** u32 × 4 for each term: docFreq, reference, address of its dense bits or 0, where its positions are. */
const TERM_BYTES: usize = 16;
const BLOCK_SIZE: u32 = 128;

/**
 * Adds the documents of `count` terms of one field.
 *
 * @param walker a list that has the field's addresses; its walk is overwritten
 */
export function orTerms(target: usize, bytes: i32, terms: usize, count: i32, walker: PostingList): void {
  for (let index = 0; index < count; index++) {
    const term = terms + <usize>index * TERM_BYTES;
    const dense = load<u32>(term, 8);
    if (dense != 0) orBits(target, dense, bytes);
    else orTerm(target, walker, load<u32>(term), load<u32>(term, 4));
  }
}

/** Adds the documents of all terms of a field in a range of ordinals. */
export function orTermRange(
  target: usize,
  docFreqs: usize,
  references: usize,
  first: i32,
  end: i32,
  walker: PostingList,
): void {
  for (let ordinal = first; ordinal < end; ordinal++) {
    const docFreq = load<u32>(docFreqs + (<usize>ordinal << 2));
    pace(<i32>docFreq);
    orTerm(target, walker, docFreq, load<u32>(references + (<usize>ordinal << 2)));
  }
}

/** Adds the documents of one term: one, in varints, or in blocks. */
function orTerm(target: usize, walker: PostingList, docFreq: u32, reference: u32): void {
  if (docFreq == 1) {
    setBit(target, reference);
    return;
  }
  walker.docFreq = <i32>docFreq;
  walker.loaded = -1;
  if (docFreq < BLOCK_SIZE) {
    loadLastBlock(walker, walker.data + <usize>reference, -1);
    orLoaded(target, walker);
    return;
  }
  walker.firstBlock = <i32>reference;
  walker.endBlock = <i32>(reference + (docFreq + BLOCK_SIZE - 1) / BLOCK_SIZE);
  for (let block = walker.firstBlock; block < walker.endBlock; block++) {
    loadDocs(walker, block);
    orLoaded(target, walker);
  }
}

function orLoaded(target: usize, walker: PostingList): void {
  for (let entry = 0; entry < walker.count; entry++) setBit(target, <u32>docAt(walker, entry));
}
