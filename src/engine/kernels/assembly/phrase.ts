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
/** In place of where a token's positions end: they haven't been looked for. */
const NOT_OPEN: i32 = -1;
/** Candidates in a block from which on the positions of all its entries are found at once. */
const CROWD: f32 = 8;

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

let leadingToken: i32 = 0;
/** Candidates in the leading list's block, times its documents: over those of another list, candidates in a block there. */
let crowd: f32 = 0;

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
  leadingToken = rarestToken();
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
    crowd = <f32>count * <f32>leader.docFreq;
    for (let index = 0; index < count; index++) {
      const entry = entryAt(index);
      const doc = docAt(leader, entry);
      findPlaces(doc, leader, block, entry);
      if (!isCounting && scoreOfDoc(leader, doc, leastFreq()) <= threshold) continue;
      const freq = tokenCount == 2 ? countPair() : countPhrase();
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

/** Finds where a document stands in each list. */
function findPlaces(doc: i32, leader: PostingList, leaderBlock: i32, leaderEntry: i32): void {
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
  }
}

/** The least frequency of any list in the document whose places have been found. */
function leastFreq(): i32 {
  let least: i32 = i32.MAX_VALUE;
  for (let index = 0; index < listCount; index++) {
    const place = places + (<usize>index << 3);
    least = min(least, freqAt(listAt(index), load<i32>(place), load<i32>(place, 4)));
  }
  return least;
}

/** As `countPhrase`, for two tokens: their positions are walked side by side. */
function countPair(): i32 {
  const first = tokenAt(0);
  const second = tokenAt(1);
  openPositions(first);
  openPositions(second);
  const distance = second.offset - first.offset;
  let count = 0;
  let left = 0;
  let right = 0;
  let wanted = positionAt(first, 0) + distance;
  let found = positionAt(second, 0);
  while (true) {
    if (found < wanted) {
      if (++right == second.end) break;
      found = positionAt(second, right);
      continue;
    }
    if (found == wanted) count++;
    if (++left == first.end) break;
    wanted = positionAt(first, left) + distance;
  }
  return count;
}

/** How often the phrase stands in the document whose places have been found. */
function countPhrase(): i32 {
  for (let index = 0; index < tokenCount; index++) tokenAt(index).end = NOT_OPEN;
  const leading = tokenAt(leadingToken);
  openPositions(leading);
  let count = 0;
  for (; leading.cursor < leading.end; leading.cursor++) {
    const start = positionAt(leading, leading.cursor) - leading.offset;
    let index = 0;
    for (; index < tokenCount; index++) {
      if (index == leadingToken) continue;
      const token = tokenAt(index);
      // Most documents are told apart by the first two tokens.
      if (token.end == NOT_OPEN) openPositions(token);
      const wanted = start + token.offset;
      while (token.cursor < token.end && positionAt(token, token.cursor) < wanted) token.cursor++;
      // The leading token's positions ascend, so a token that has ended ends the count.
      if (token.cursor == token.end) return count;
      if (positionAt(token, token.cursor) != wanted) break;
    }
    if (index == tokenCount) count++;
  }
  return count;
}

/** The token whose list has fewest documents. */
function rarestToken(): i32 {
  let rarest = 0;
  for (let index = 1; index < tokenCount; index++) {
    if (listAt(tokenAt(index).list).docFreq < listAt(tokenAt(rarest).list).docFreq) rarest = index;
  }
  return rarest;
}

/** Finds a token's positions in the document at hand. */
function openPositions(token: PhraseToken): void {
  const list = listAt(token.list);
  const place = places + (<usize>token.list << 3);
  const block = load<i32>(place);
  const entry = load<i32>(place, 4);
  loadDocs(list, block);
  loadFreqs(list, block);
  token.base = list.positionData + <usize>load<u32>(list.positionOffsets + (<usize>block << 2));
  token.bits = <u32>load<u8>(list.positionWidths + <usize>docAt(list, entry));
  token.cursor = 0;
  token.end = load<i32>(list.freqs + (<usize>entry << 2));
  if (list.summedBlock == block || list.positionGroups == 0 || crowd >= CROWD * <f32>list.docFreq) {
    sumBlock(list, block);
    token.start = load<u32>(list.positionSums + (<usize>entry << 2));
  } else {
    token.start = bitsBefore(list, block, entry);
  }
}

/** Sums up the bits of a block's positions before each entry. Its documents and frequencies are loaded. */
function sumBlock(list: PostingList, block: i32): void {
  if (list.summedBlock == block) return;
  list.summedBlock = block;
  const widths = list.positionWidths;
  let doc = list.docs;
  let freq = list.freqs;
  let sum = list.positionSums;
  const end = doc + (<usize>list.count << 2);
  let bits: u32 = 0;
  const zero = i32x4.splat(0);
  for (; doc + 16 <= end; doc += 16) {
    let taken = i32x4.splat(<i32>load<u8>(widths + <usize>load<u32>(doc)));
    taken = i32x4.replace_lane(taken, 1, <i32>load<u8>(widths + <usize>load<u32>(doc, 4)));
    taken = i32x4.replace_lane(taken, 2, <i32>load<u8>(widths + <usize>load<u32>(doc, 8)));
    taken = i32x4.replace_lane(taken, 3, <i32>load<u8>(widths + <usize>load<u32>(doc, 12)));
    taken = i32x4.mul(taken, v128.load(freq));
    // Sums of one, two, three and four of them, then less each itself.
    let sums = i32x4.add(taken, v128.shuffle<i32>(zero, taken, 0, 4, 5, 6));
    sums = i32x4.add(sums, v128.shuffle<i32>(zero, sums, 0, 0, 4, 5));
    v128.store(sum, i32x4.add(i32x4.splat(bits), i32x4.sub(sums, taken)));
    bits += <u32>i32x4.extract_lane(sums, 3);
    freq += 16;
    sum += 16;
  }
  for (; doc < end; doc += 4) {
    store<u32>(sum, bits);
    bits += load<u32>(freq) * <u32>load<u8>(widths + <usize>load<u32>(doc));
    freq += 4;
    sum += 4;
  }
}

/** The same for one entry of a list that has groups. */
function bitsBefore(list: PostingList, block: i32, entry: i32): u32 {
  const group = entry >>> 5;
  let bits: u32 = group == 0 ? 0 : load<u32>(list.positionGroups + (<usize>(block * 3 + group - 1) << 2));
  const widths = list.positionWidths;
  let doc = list.docs + (<usize>group << 7);
  let freq = list.freqs + (<usize>group << 7);
  const end = list.docs + (<usize>entry << 2);
  for (; doc < end; doc += 4) {
    bits += load<u32>(freq) * <u32>load<u8>(widths + <usize>load<u32>(doc));
    freq += 4;
  }
  return bits;
}

/** A position in the document at hand: it may start at any bit and spans at most 32. */
function positionAt(token: PhraseToken, index: i32): i32 {
  const bit = <u64>token.start + <u64>index * <u64>token.bits;
  const value = load<u64>(token.base + <usize>(bit >>> 3)) >>> (bit & 7);
  return <i32>(value & (((<u64>1) << token.bits) - 1));
}
