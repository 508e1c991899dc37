// AssemblyScript. Candidates of a phrase by two of its lists, the leading one and another: where that one has
// their documents, and how often its token stands where the leading one's wants it.

import { entryAt, keepAt } from "./candidates";
import {
  blockAtOrAfter,
  docAt,
  entryAtOrAfter,
  freqAt,
  loadDocs,
  PostingList,
  scoreOfDoc,
} from "./posting-list";
import {
  bitsBefore,
  countMerged,
  FOLDED_BITS_MAX,
  foldedBits,
  openBlock,
  positionBytes,
  PositionRun,
  positionStarts,
} from "./positions";
import { threshold } from "./top-hits";

/** Candidates in a block from which on the positions of all its entries are found at once. */
const CROWD: f32 = 8;
/** Bytes of a `PositionRun`, with what aligns it. */
const RUN_BYTES: usize = 32;

/** i32 pairs by candidate: block and entry in the other list. */
let places: usize = 0;
let leaderRun: PositionRun = changetype<PositionRun>(<usize>0);
let otherRun: PositionRun = changetype<PositionRun>(<usize>0);

/** @param placeBuffer 8 × 132 bytes and room for two runs behind them */
export function attachPair(placeBuffer: usize): void {
  places = placeBuffer;
  leaderRun = changetype<PositionRun>(placeBuffer + 8 * 132);
  otherRun = changetype<PositionRun>(placeBuffer + 8 * 132 + RUN_BYTES);
}

let isLeaderCrowded: bool = false;
let isOtherCrowded: bool = false;

/**
 * Finds where the other list has the candidates' documents, which it holds.
 *
 * @param isCounting whether candidates stay whose frequencies keep them below the threshold
 * @returns how many candidates stay
 */
export function placePair(leader: PostingList, block: i32, count: i32, other: PostingList, isCounting: bool): i32 {
  if (other.denseBits != 0) placeDense(leader, count, other);
  else placeSought(leader, count, other);
  let kept = count;
  if (!isCounting && threshold > 0) {
    kept = 0;
    for (let index = 0; index < count; index++) {
      const entry = entryAt(index);
      const place = places + (<usize>index << 3);
      const freq = min(
        freqAt(leader, block, entry),
        freqAt(other, load<i32>(place), load<i32>(place, 4)),
      );
      keepAt(kept, entry);
      store<u64>(places + (<usize>kept << 3), load<u64>(place));
      kept += <i32>(scoreOfDoc(leader, docAt(leader, entry), freq) > threshold);
    }
  }
  const crowd = <f32>kept * <f32>leader.docFreq;
  isLeaderCrowded = kept >= <i32>CROWD;
  isOtherCrowded = crowd >= CROWD * <f32>other.docFreq;
  return kept;
}

/**
 * Counts how often each candidate's document has the other list's token `distance` behind the leading one's
 * (below 0: before it). `pairFreq` gives the counts.
 */
export function countPairs(leader: PostingList, block: i32, count: i32, other: PostingList, distance: i32): void {
  if (count == 0) return;
  openBlock(leader, block);
  const widths = leader.positionWidths;
  const docs = leader.docs;
  const freqs = leader.freqs;
  const base = positionBytes(leader, block);
  const starts = positionStarts(leader, block, isLeaderCrowded);
  const otherFreqs = other.freqs;
  let otherBlock = -1;
  let otherBase: usize = 0;
  let otherStarts: usize = 0;
  for (let index = 0; index < count; index++) {
    const entry = entryAt(index);
    const place = places + (<usize>index << 3);
    if (load<i32>(place) != otherBlock) {
      otherBlock = load<i32>(place);
      openBlock(other, otherBlock);
      otherBase = positionBytes(other, otherBlock);
      otherStarts = positionStarts(other, otherBlock, isOtherCrowded);
    }
    const otherEntry = load<i32>(place, 4);
    // Both are of the same field, where all positions of a document take as many bits.
    const bits = <u32>load<u8>(widths + <usize>load<u32>(docs + (<usize>entry << 2)));
    const freq = load<i32>(freqs + (<usize>entry << 2));
    const otherFreq = load<i32>(otherFreqs + (<usize>otherEntry << 2));
    const start =
      starts == 0 ? bitsBefore(leader, block, entry) : load<u32>(starts + (<usize>entry << 2));
    const otherStart =
      otherStarts == 0 ? bitsBefore(other, otherBlock, otherEntry) : load<u32>(otherStarts + (<usize>otherEntry << 2));
    let found: i32 = 1;
    if (bits <= FOLDED_BITS_MAX) {
      const mine = foldedBits(base, start, bits, freq);
      const theirs = foldedBits(otherBase, otherStart, bits, otherFreq);
      // Folded to 64 bits, positions that stand right meet; those of more than six bits aren't the only ones.
      found = <i32>popcnt<u64>(rotl<u64>(mine, distance & 63) & theirs);
      if (bits <= 6) found = shiftedCommon(mine, theirs, distance);
    }
    if (found > 0 && bits > 6) {
      fill(leaderRun, base, start, bits, freq);
      fill(otherRun, otherBase, otherStart, bits, otherFreq);
      found =
        distance < 0 ? countMerged(otherRun, leaderRun, -distance) : countMerged(leaderRun, otherRun, distance);
    }
    store<i32>(place, found);
  }
}

/** Bits of the second that stand `distance` behind one of the first. */
function shiftedCommon(first: u64, second: u64, distance: i32): i32 {
  if (distance > 63 || distance < -63) return 0;
  return <i32>popcnt<u64>((distance < 0 ? first >>> <u64>-distance : first << <u64>distance) & second);
}

function fill(run: PositionRun, base: usize, start: u32, bits: u32, count: i32): void {
  run.base = base;
  run.start = start;
  run.bits = bits;
  run.count = count;
}

/** How often it is there; of the candidates counted last. */
export function pairFreq(index: i32): i32 {
  return load<i32>(places + (<usize>index << 3));
}

/** Ranks by bits: of documents that are close together only what lies between them is counted. */
function placeDense(leader: PostingList, count: i32, other: PostingList): void {
  const bits = other.denseBits;
  let at: usize = 0;
  let before = 0;
  for (let index = 0; index < count; index++) {
    const doc = docAt(leader, entryAt(index));
    const word = bits + (<usize>(doc >>> 6) << 3);
    // The first word of the document's group of 512, before which documents are counted already.
    const group = word - (<usize>((doc >>> 6) & 7) << 3);
    if (at < group) {
      at = group;
      before = load<i32>(other.denseRanks + (<usize>(doc >>> 9) << 2));
    }
    for (; at < word; at += 8) before += <i32>popcnt<i64>(load<i64>(at));
    const rank = before + <i32>popcnt<i64>(load<i64>(word) & (((<i64>1) << (doc & 63)) - 1));
    const place = places + (<usize>index << 3);
    store<i32>(place, other.firstBlock + (rank >>> 7));
    store<i32>(place, rank & 127, 4);
  }
}

function placeSought(leader: PostingList, count: i32, other: PostingList): void {
  let block = other.probeBlock;
  for (let index = 0; index < count; index++) {
    const doc = docAt(leader, entryAt(index));
    block = blockAtOrAfter(other, block, doc);
    // The candidates may be looked up again one by one.
    if (index == 0) other.probeBlock = block;
    loadDocs(other, block);
    const place = places + (<usize>index << 3);
    store<i32>(place, block);
    store<i32>(place, entryAtOrAfter(other, doc), 4);
  }
}
