// AssemblyScript. Documents in which tokens stand at given distances from one another, scored by how often.

import { entryAt, keepAccepted, keepHeld, takeAbove, takeAll } from "./candidates";
import { placed } from "./finish";
import { setBit } from "./matches";
import { beginPairs, keepPairs, pairFreq } from "./phrase-pair";
import { openPositions, positionAt, PositionRun } from "./positions";
import { pace } from "./pace";
import { docAt, entryAtOrAfter, loadDocs, scoreBlock } from "./posting-block";
import { BLOCK_SIZE, blockAtOrAfter, boundOf, denseRank, PostingList } from "./posting-list";
import { cannotExceed, scoreOfDoc } from "./term-score";
import { listAt, listCount, prunable } from "./ranking";
import { addHit, threshold } from "./top-hits";
import { nextCompetitive } from "./top-term";

/** Bytes of a `PhraseToken` in its table. */
const TOKEN_BYTES: usize = 32;

/** One token of the phrase; TypeScript fills in the first two. By ascending offset. */
@unmanaged
class PhraseToken {
  /** Index of its list. */
  list: i32;
  /** Positions after the first token. */
  offset: i32;
  /** In the document at hand: where the token's positions are looked at, and whether they have been found. */
  cursor: i32;
  isOpen: i32;
  // A `PositionRun` follows.
}

/** Postings that are passed in the time of looking at one candidate's positions. */
const PLACED_POSTINGS: i32 = 8;

/** Bytes of a token before its positions. */
const RUN_OFFSET: usize = 16;

let tokens: usize = 0;
let tokenCount: i32 = 0;
/** By list: where the document at hand stands, as block and entry. i32 pairs. */
let places: usize = 0;

let leadingToken: i32 = 0;
/** Positions that `countPhrase` has looked at in the last document. */
let looked: i32 = 0;

export function describePhrase(tokenTable: usize, count: i32, placeTable: usize): void {
  tokens = tokenTable;
  tokenCount = count;
  places = placeTable;
}

function tokenAt(index: i32): PhraseToken {
  return changetype<PhraseToken>(tokens + <usize>index * TOKEN_BYTES);
}

function runOf(token: PhraseToken): PositionRun {
  return changetype<PositionRun>(changetype<usize>(token) + RUN_OFFSET);
}

/**
 * Finds the best documents, and how many there are if every one has to be looked at.
 *
 * @param order i32 by place: the lists, those of fewest documents first
 * @param isCounting whether all matches are wanted, not only the best
 * @param target cleared bits for the matches, or 0
 */
export function topOfPhrase(order: usize, isCounting: bool, target: usize): i32 {
  const leader = placed(order, 0);
  leadingToken = tokenOf(leader);
  if (listCount > 1) {
    const other = placed(order, 1);
    const distance = tokenAt(tokenOf(other)).offset - tokenAt(leadingToken).offset;
    beginPairs(order, distance, isCounting);
  }
  const isPair = listCount == 2 && tokenCount == 2;
  let total = 0;
  looked = 0;
  for (let block = leader.firstBlock; block < leader.endBlock; block++) {
    if (!isCounting) {
      // A phrase is no more frequent than any of its tokens, so their bounds are the phrase's, too.
      block = nextCompetitive(leader, block, threshold);
      if (block >= leader.endBlock) break;
      if (cannotExceed(leader, block, threshold)) continue;
    }
    pace(BLOCK_SIZE * PLACED_POSTINGS);
    const count = candidates(order, leader, block, isCounting);
    const isCompetitive = boundOf(leader, block) > prunable(threshold);
    for (let index = 0; index < count; index++) {
      const entry = entryAt(index);
      const doc = docAt(leader, entry);
      let freq: i32;
      if (isPair) freq = pairFreq(index);
      else {
        // A candidate of many tokens and positions takes as long as many blocks.
        pace(looked);
        freq = countPhrase(doc, leader, block, entry);
      }
      if (freq == 0) continue;
      total++;
      if (target != 0) setBit(target, doc);
      if (!isCompetitive) continue;
      const score = scoreOfDoc(leader, doc, freq);
      if (score > threshold) addHit(doc, score);
    }
  }
  return total;
}

/**
 * The entries of a block whose documents hold all the tokens, two of them where the phrase wants them, and
 * aren't known to score too little. Most documents are told apart by the two rarest tokens.
 */
function candidates(order: usize, leader: PostingList, block: i32, isCounting: bool): i32 {
  const limit = isCounting ? <f32>-1 : prunable(threshold);
  let count: i32;
  if (limit > 0) {
    scoreBlock(leader, block);
    count = takeAbove(leader, threshold);
  } else {
    loadDocs(leader, block);
    count = takeAll(leader.count);
  }
  count = keepAccepted(leader, count);
  if (listCount > 1) count = keepPairs(block, count);
  for (let place = 2; place < listCount && count > 0; place++) {
    const list = placed(order, place);
    if (list.denseBits == 0) count = keepHeld(leader, count, list, 0, limit);
  }
  return count;
}

/** The first token of a list. */
function tokenOf(list: PostingList): i32 {
  let index = 0;
  while (changetype<usize>(listAt(tokenAt(index).list)) != changetype<usize>(list)) index++;
  return index;
}

/** How often the phrase stands in a document of the leading list. */
function countPhrase(doc: i32, leader: PostingList, block: i32, entry: i32): i32 {
  findPlaces(doc, leader, block, entry);
  for (let index = 0; index < tokenCount; index++) tokenAt(index).isOpen = 0;
  const leading = tokenAt(leadingToken);
  open(leading, doc);
  const leadingRun = runOf(leading);
  looked = leadingRun.count;
  let count = 0;
  for (let cursor = 0; cursor < leadingRun.count; cursor++) {
    const start = positionAt(leadingRun, cursor) - leading.offset;
    let index = 0;
    for (; index < tokenCount; index++) {
      if (index == leadingToken) continue;
      const token = tokenAt(index);
      const run = runOf(token);
      if (token.isOpen == 0) {
        open(token, doc);
        looked += run.count;
      }
      const wanted = start + token.offset;
      while (token.cursor < run.count && positionAt(run, token.cursor) < wanted) token.cursor++;
      // The leading token's positions ascend, so a token that has ended ends the count.
      if (token.cursor == run.count) return count;
      if (positionAt(run, token.cursor) != wanted) break;
    }
    looked += index;
    if (index == tokenCount) count++;
  }
  return count;
}

/** Finds a token's positions in the document at hand. */
function open(token: PhraseToken, doc: i32): void {
  const place = places + (<usize>token.list << 3);
  openPositions(runOf(token), listAt(token.list), load<i32>(place), load<i32>(place, 4), doc);
  token.cursor = 0;
  token.isOpen = 1;
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
