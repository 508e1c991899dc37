// AssemblyScript. Scores of a window's documents, summed up list by list: first those of the essential lists,
// then, of documents whose sums may be good enough, those of the others.

import { finish } from "./finish";
import { docAt, entryAtOrAfter, scoreBlock } from "./posting-block";
import { boundOf, firstDocBound, isBits, lastDocOf, NO_DOC, PostingList } from "./posting-list";
import { accepts, boundWithout, maxDoc, prunable } from "./ranking";
import { threshold } from "./top-hits";

/** f32 × 65536, all 0 between windows: sums by document. */
let sums: usize = 0;

export function layOutSums(sumBuffer: usize): void {
  sums = sumBuffer;
}

/**
 * Adds an essential list's scores in the window to the sums, without blocks that can't lead anywhere.
 *
 * @param total what all lists give at most
 */
export function addToSums(list: PostingList, total: f32, start: i32, end: i32): void {
  if (isBits(list)) {
    addBitsToSums(list, start, end);
    return;
  }
  const others = boundWithout(total, list.windowMax);
  const base = sums - (<usize>start << 2);
  for (let block = list.block; block < list.endBlock; block++) {
    if (firstDocBound(list, block) >= end) return;
    const last = lastDocOf(list, block);
    if (boundOf(list, block) + others > prunable(threshold)) {
      scoreBlock(list, block);
      let entry = docAt(list, 0) < start ? entryAtOrAfter(list, start) : 0;
      const entryEnd = last >= end ? entryAtOrAfter(list, end) : list.count;
      const docs = list.docs;
      const scores = list.scores;
      for (; entry < entryEnd; entry++) {
        const at = base + (<usize>load<u32>(docs + (<usize>entry << 2)) << 2);
        store<f32>(at, load<f32>(at) + load<f32>(scores + (<usize>entry << 2)));
      }
    }
    if (last >= end - 1) return;
  }
}

/** The first document of bits from `start` on; `NO_DOC` if there is none. */
export function nextBit(list: PostingList, start: i32): i32 {
  const words = (maxDoc + 31) >>> 5;
  let word = start >>> 5;
  if (word >= words) return NO_DOC;
  let bits = load<u32>(list.denseBits + (<usize>word << 2)) & (<u32>0xffff_ffff << (start & 31));
  while (bits == 0) {
    if (++word == words) return NO_DOC;
    bits = load<u32>(list.denseBits + (<usize>word << 2));
  }
  return (word << 5) + <i32>ctz(bits);
}

function addBitsToSums(list: PostingList, start: i32, end: i32): void {
  const bound = list.boundBase;
  for (let doc = nextBit(list, start); doc < end; doc = nextBit(list, doc + 1)) {
    const at = sums + (<usize>(doc - start) << 2);
    store<f32>(at, load<f32>(at) + bound);
  }
}

/**
 * Finishes the window's documents whose sums may be good enough: four are compared at a time.
 *
 * @param others what the lists before place `essential` give at most
 */
export function collectSums(order: usize, essential: i32, others: f32, start: i32, end: i32): void {
  const zero = f32x4.splat(0);
  let limit = max<f32>(0, prunable(threshold) - others);
  let limits = f32x4.splat(limit);
  const width = end - start;
  for (let offset = 0; offset < width; offset += 4) {
    const at = sums + (<usize>offset << 2);
    let lanes = i32x4.bitmask(f32x4.gt(v128.load(at), limits));
    if (lanes != 0) {
      for (; lanes != 0; lanes &= lanes - 1) {
        const lane = ctz(lanes);
        const doc = start + offset + lane;
        if (accepts(doc)) finish(order, doc, load<f32>(at + (<usize>lane << 2)), essential, others);
      }
      limit = max<f32>(0, prunable(threshold) - others);
      limits = f32x4.splat(limit);
    }
    v128.store(at, zero);
  }
}
