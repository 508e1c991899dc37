// AssemblyScript. Where any of some terms stand in listed documents: the first 64 positions of each, as bits; and in how
// many of these each term stands so far behind what has been marked. A begun word has hundreds of terms, most of them in
// few documents, so that each list is gone through once, and documents by leaps.

import { pace } from "./pace";
import { numberAt, positionBytes, positionStarts } from "./positions";
import { docAt, loadDocs, loadFreqs, loadLastBlock } from "./posting-block";
import { BLOCK_SIZE, blockAtOrAfter, PostingList } from "./posting-list";

/** u32 × 4 for each term: docFreq, reference, nothing that matters here, where its positions are (`term-bits.ts`). */
const TERM_BYTES: usize = 16;
/** Positions that have a bit. */
const POSITIONS: i32 = 64;

/** Documents that are marked, ascending, and their marks, u64 each. */
let docs: usize = 0;
let docCount: i32 = 0;
let marks: usize = 0;
/** Positions from what has been marked to a term's; 0: the term is marked itself. */
let gap: u64 = 0;
/** Documents in which the term stands so. */
let followed: i32 = 0;

/** @param walker a list that has the field's addresses; its walk is overwritten */
export function markPositions(
  listed: usize,
  count: i32,
  target: usize,
  terms: usize,
  termCount: i32,
  walker: PostingList,
): void {
  gap = 0;
  walk(listed, count, target, terms, termCount, walker);
}

/**
 * Writes into the third number of each term in how many documents it stands behind what is marked.
 *
 * @param apart positions, 1 to 31
 * @param walker as for `markPositions`
 */
export function countFollowers(
  listed: usize,
  count: i32,
  marked: usize,
  terms: usize,
  termCount: i32,
  apart: i32,
  walker: PostingList,
): void {
  gap = <u64>apart;
  walk(listed, count, marked, terms, termCount, walker);
}

function walk(
  listed: usize,
  count: i32,
  target: usize,
  terms: usize,
  termCount: i32,
  walker: PostingList,
): void {
  docs = listed;
  docCount = count;
  marks = target;
  for (let index = 0; index < termCount; index++) {
    const term = terms + <usize>index * TERM_BYTES;
    const docFreq = load<i32>(term);
    const reference = load<u32>(term, 4);
    const positions = walker.positionData + <usize>load<u32>(term, 12);
    followed = 0;
    walker.docFreq = docFreq;
    walker.loaded = -1;
    walker.loadedFreqs = -1;
    walker.summedBlock = -1;
    if (docFreq == 1) markOnly(walker, <i32>reference, positions);
    else if (docFreq < BLOCK_SIZE) {
      pace(docFreq);
      loadLastBlock(walker, walker.data + <usize>reference, -1);
      walker.loadedFreqs = 0;
      markLoaded(walker, 0, positions, 0);
    } else markBlocks(walker, <i32>reference);
    if (gap != 0) store<i32>(term, followed, 8);
  }
}

/** A term of one document: its frequency is a varint before the positions. */
function markOnly(list: PostingList, doc: i32, positions: usize): void {
  const place = placeAtOrAfter(0, doc);
  if (place == docCount || listedAt(place) != doc) return;
  let at = positions;
  let byte = <u32>load<u8>(at++);
  let freq = byte & 127;
  for (let shift = 7; byte > 127; shift += 7) {
    byte = <u32>load<u8>(at++);
    freq |= (byte & 127) << shift;
  }
  mark(list, place, doc, at, 0, <i32>freq);
}

function markBlocks(list: PostingList, firstBlock: i32): void {
  list.firstBlock = firstBlock;
  list.endBlock = firstBlock + ((list.docFreq + BLOCK_SIZE - 1) >>> 7);
  let block = firstBlock;
  for (let place = 0; place < docCount; ) {
    block = blockAtOrAfter(list, block, listedAt(place));
    if (block == list.endBlock) return;
    pace(BLOCK_SIZE);
    loadDocs(list, block);
    place = markLoaded(list, block, positionBytes(list, block), place);
    block++;
  }
}

/** Marks what the loaded block holds of the documents from a place on; returns the place behind the block. */
function markLoaded(list: PostingList, block: i32, positions: usize, from: i32): i32 {
  let place = from;
  let entry = 0;
  let starts: usize = 0;
  while (place < docCount) {
    const wanted = listedAt(place);
    while (entry < list.count && docAt(list, entry) < wanted) entry++;
    if (entry == list.count) break;
    const doc = docAt(list, entry);
    if (doc == wanted) {
      if (starts == 0) {
        loadFreqs(list, block);
        starts = positionStarts(list, block, true);
      }
      const at = <usize>entry << 2;
      mark(list, place++, doc, positions, load<u32>(starts + at), load<i32>(list.freqs + at));
      entry++;
    } else place = placeAtOrAfter(place, doc);
  }
  return place;
}

function mark(list: PostingList, place: i32, doc: i32, positions: usize, start: u32, freq: i32): void {
  const width = <u32>load<u8>(list.positionWidths + <usize>doc);
  const at = marks + (<usize>place << 3);
  const before = load<u64>(at);
  let bits: u64 = 0;
  for (let index = 0; index < freq; index++) {
    const position = numberAt(positions, start + <u32>index * width, width);
    if (position >= POSITIONS) break;
    bits |= <u64>1 << <u64>position;
  }
  if (gap == 0) store<u64>(at, before | bits);
  else if (((before << gap) & bits) != 0) followed++;
}

function listedAt(place: i32): i32 {
  return load<i32>(docs + (<usize>place << 2));
}

/** The first place from one on whose document is at or after another: gallops, then bisects. */
function placeAtOrAfter(from: i32, doc: i32): i32 {
  if (from >= docCount || listedAt(from) >= doc) return from;
  let low = from + 1;
  let high = low;
  for (let step = 1; high < docCount && listedAt(high) < doc; step <<= 1) {
    low = high + 1;
    high += step;
  }
  if (high > docCount) high = docCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (listedAt(middle) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
