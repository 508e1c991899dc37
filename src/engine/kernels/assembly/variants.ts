// AssemblyScript. Documents of many terms at once, such as the variants of a misspelt word: nothing is
// scored, and most lists are short, so they are decoded straight into the bits.

import { docAt, loadDocs } from "./posting-block";
import { PostingList } from "./posting-list";
import { pace } from "./pace";
import { orBits, setBit } from "./matches";

/** u32 × 4 for each term: docFreq, reference, address of its dense bits or 0, where its positions are. */
const TERM_BYTES: usize = 16;
const BLOCK_SIZE: u32 = 128;

/**
 * Adds the documents of `count` terms of one field.
 *
 * @param walker a list that has the field's addresses, for terms in blocks; its walk is overwritten
 */
export function orTerms(target: usize, bytes: i32, terms: usize, count: i32, data: usize, walker: PostingList): void {
  for (let index = 0; index < count; index++) {
    const term = terms + <usize>index * TERM_BYTES;
    const docFreq = load<u32>(term);
    const reference = load<u32>(term, 4);
    const dense = load<u32>(term, 8);
    if (docFreq == 1) setBit(target, reference);
    else if (docFreq < BLOCK_SIZE) orVarints(target, data + <usize>reference, docFreq);
    else if (dense != 0) orBits(target, dense, bytes);
    else orBlocks(target, walker, docFreq, reference);
  }
}

/** Adds the documents of all terms of a field in a range of ordinals. */
export function orTermRange(
  target: usize,
  docFreqs: usize,
  references: usize,
  first: i32,
  end: i32,
  data: usize,
  walker: PostingList,
): void {
  for (let ordinal = first; ordinal < end; ordinal++) {
    const docFreq = load<u32>(docFreqs + (<usize>ordinal << 2));
    pace(<i32>docFreq);
    const reference = load<u32>(references + (<usize>ordinal << 2));
    if (docFreq == 1) setBit(target, reference);
    else if (docFreq < BLOCK_SIZE) orVarints(target, data + <usize>reference, docFreq);
    else orBlocks(target, walker, docFreq, reference);
  }
}

function orVarints(target: usize, source: usize, count: u32): void {
  let at = source;
  let doc: u32 = u32.MAX_VALUE;
  for (let index: u32 = 0; index < count; index++) {
    let byte = <u32>load<u8>(at++);
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = <u32>load<u8>(at++);
      value |= (byte & 127) << shift;
    }
    doc += value >>> 1;
    setBit(target, doc);
    if ((value & 1) != 0) continue;
    while (<u32>load<u8>(at++) > 127) {}
  }
}

/** Adds the documents of one term in blocks. */
export function orBlocks(target: usize, walker: PostingList, docFreq: u32, firstBlock: u32): void {
  walker.docFreq = <i32>docFreq;
  walker.firstBlock = <i32>firstBlock;
  walker.endBlock = <i32>(firstBlock + (docFreq + BLOCK_SIZE - 1) / BLOCK_SIZE);
  walker.loaded = -1;
  for (let block = walker.firstBlock; block < walker.endBlock; block++) {
    loadDocs(walker, block);
    for (let entry = 0; entry < walker.count; entry++) setBit(target, <u32>docAt(walker, entry));
  }
}
