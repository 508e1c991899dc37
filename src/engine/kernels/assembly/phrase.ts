// AssemblyScript. Documents in which tokens stand at given distances from one another, scored by how often.

import { entryAt, keepAccepted, keepHeld, takeAll } from "./candidates";
import {
  blockAtOrAfter,
  boundOf,
  denseRank,
  docAt,
  entryAtOrAfter,
  freqAt,
  loadDocs,
  loadFreqs,
  PostingList,
  scoreOfDoc,
} from "./posting-list";
import { listAt, listCount, prunable } from "./ranking";
import { addHit, threshold } from "./top-hits";

/** Bytes of a `PhraseToken` in its table. */
const TOKEN_BYTES: usize = 32;
const VARINT_BLOCK: u32 = 255;

/** One token of the phrase; TypeScript fills in the first two. By ascending offset. */
@unmanaged
class PhraseToken {
  /** Index of its list. */
  list: i32;
  /** Positions after the first token. */
  offset: i32;
  /** In the document at hand: the block's positions, at which bit the token's start, their bits each. */
  base: usize;
  start: u32;
  bits: u32;
  cursor: i32;
  end: i32;
}

let tokens: usize = 0;
let tokenCount: i32 = 0;
/** By list: where the document at hand stands, as block and entry. i32 pairs. */
let places: usize = 0;

export function describePhrase(tokenTable: usize, count: i32, placeTable: usize): void {
  tokens = tokenTable;
  tokenCount = count;
  places = placeTable;
}

function tokenAt(index: i32): PhraseToken {
  return changetype<PhraseToken>(tokens + <usize>index * TOKEN_BYTES);
}

/**
 * Finds the best documents, and how many there are if every one has to be looked at.
 *
 * @param order i32 by place: the lists, those of fewest documents first
 * @param isCounting whether all matches are wanted, not only the best
 * @param target cleared bits for the matches, or 0
 */
export function topOfPhrase(order: usize, isCounting: bool, target: usize): i32 {
  const leader = listAt(load<i32>(order));
  let total = 0;
  for (let block = leader.firstBlock; block < leader.endBlock; block++) {
    // A phrase is no more frequent than any of its tokens, so their bounds are the phrase's, too.
    const limit = isCounting ? <f32>-1 : prunable(threshold);
    if (boundOf(leader, block) <= limit) continue;
    loadDocs(leader, block);
    let count = keepAccepted(leader, takeAll(leader.count));
    for (let place = 1; place < listCount && count > 0; place++) {
      count = keepHeld(leader, count, listAt(load<i32>(order + (<usize>place << 2))), 0, limit);
    }
    for (let index = 0; index < count; index++) {
      const entry = entryAt(index);
      const doc = docAt(leader, entry);
      const freqBound = findPlaces(doc, leader, block, entry);
      if (!isCounting && scoreOfDoc(leader, doc, freqBound) <= threshold) continue;
      const freq = countPhrase();
      if (freq == 0) continue;
      total++;
      if (target != 0) {
        const word = target + (<usize>(doc >>> 5) << 2);
        store<i32>(word, load<i32>(word) | (1 << (doc & 31)));
      }
      const score = scoreOfDoc(leader, doc, freq);
      if (score > threshold) addHit(doc, score);
    }
  }
  return total;
}

/** Finds where a document stands in each list; returns the least frequency. */
function findPlaces(doc: i32, leader: PostingList, leaderBlock: i32, leaderEntry: i32): i32 {
  let least: i32 = i32.MAX_VALUE;
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    let block = leaderBlock;
    let entry = leaderEntry;
    if (changetype<usize>(list) != changetype<usize>(leader)) {
      if (list.denseBits != 0) {
        const rank = denseRank(list, doc);
        block = list.firstBlock + (rank >>> 7);
        entry = rank & 127;
      } else {
        block = blockAtOrAfter(list, list.probeBlock, doc);
        list.probeBlock = block;
        loadDocs(list, block);
        entry = entryAtOrAfter(list, doc);
      }
    }
    const place = places + (<usize>index << 3);
    store<i32>(place, block);
    store<i32>(place, entry, 4);
    least = min(least, freqAt(list, block, entry));
  }
  return least;
}

/** How often the phrase stands in the document whose places have been found. */
function countPhrase(): i32 {
  let lead = 0;
  let fewest: i32 = i32.MAX_VALUE;
  for (let index = 0; index < tokenCount; index++) {
    const token = tokenAt(index);
    openPositions(token);
    const freq = token.end - token.cursor;
    if (freq < fewest) {
      fewest = freq;
      lead = index;
    }
  }
  const leading = tokenAt(lead);
  let count = 0;
  for (; leading.cursor < leading.end; leading.cursor++) {
    const start = positionAt(leading, leading.cursor) - leading.offset;
    let index = 0;
    for (; index < tokenCount; index++) {
      if (index == lead) continue;
      const token = tokenAt(index);
      const wanted = start + token.offset;
      while (token.cursor < token.end && positionAt(token, token.cursor) < wanted) token.cursor++;
      // Positions of the lead ascend, so a token that has ended ends the count.
      if (token.cursor == token.end) return count;
      if (positionAt(token, token.cursor) != wanted) break;
    }
    if (index == tokenCount) count++;
  }
  return count;
}

/** Finds a token's positions in the document at hand. */
function openPositions(token: PhraseToken): void {
  const list = listAt(token.list);
  const place = places + (<usize>token.list << 3);
  const block = load<i32>(place);
  const entry = load<i32>(place, 4);
  loadDocs(list, block);
  const isOnce =
    <u32>load<u8>(list.docBits + <usize>block) != VARINT_BLOCK && load<u8>(list.freqBits + <usize>block) == 0;
  if (!isOnce) loadFreqs(list, block);
  token.start = bitsBefore(list, block, entry, isOnce);
  token.base = list.positionData + <usize>load<u32>(list.positionOffsets + (<usize>block << 2));
  token.bits = <u32>load<u8>(list.positionWidths + <usize>docAt(list, entry));
  token.cursor = 0;
  token.end = isOnce ? 1 : load<i32>(list.freqs + (<usize>entry << 2));
}

/** Bits of a block's positions before those of an entry; its documents, and frequencies unless all are 1, are loaded. */
function bitsBefore(list: PostingList, block: i32, entry: i32, isOnce: bool): u32 {
  let from = 0;
  let bits: u32 = 0;
  const group = entry >>> 5;
  if (group > 0 && list.positionGroups != 0) {
    from = group << 5;
    bits = load<u32>(list.positionGroups + (<usize>(block * 3 + group - 1) << 2));
  }
  if (list.summedBlock == block && list.summedEntry <= entry && list.summedEntry >= from) {
    from = list.summedEntry;
    bits = list.summedBits;
  }
  const widths = list.positionWidths;
  let doc = list.docs + (<usize>from << 2);
  const end = list.docs + (<usize>entry << 2);
  if (isOnce) {
    for (; doc < end; doc += 4) bits += <u32>load<u8>(widths + <usize>load<u32>(doc));
  } else {
    let freq = list.freqs + (<usize>from << 2);
    for (; doc < end; doc += 4) {
      bits += load<u32>(freq) * <u32>load<u8>(widths + <usize>load<u32>(doc));
      freq += 4;
    }
  }
  list.summedBlock = block;
  list.summedEntry = entry;
  list.summedBits = bits;
  return bits;
}

/** A position in the document at hand: it may start at any bit and spans at most 32. */
function positionAt(token: PhraseToken, index: i32): i32 {
  const bit = <u64>token.start + <u64>index * <u64>token.bits;
  const value = load<u64>(token.base + <usize>(bit >>> 3)) >>> (bit & 7);
  return <i32>(value & (((<u64>1) << token.bits) - 1));
}
