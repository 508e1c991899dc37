// AssemblyScript. Where the positions of a list's entries begin, as u16 by entry, kept from search to search:
// with them neither documents nor frequencies of a block are decoded for a few candidates.

import { bitsBefore, openBlock, positionBytes, PositionRun, positionStarts } from "./positions";
import { PostingList } from "./posting-list";

/** Bytes of a block: 129 starts, the last one where the last entry ends, and what vectors write behind them. */
const BLOCK_BYTES: usize = 272;
/** What a block's byte says; 0: nothing is known yet. */
const IS_KNOWN: u8 = 1;
const IS_TOO_LONG: u8 = 2;

/** Bits before an entry's positions, below, and before the next one's, above: 16 bits each. `knowBlock` has been asked. */
@inline
export function knownStarts(list: PostingList, rank: i32): u32 {
  return load<u32>(list.knownStarts + <usize>(rank >>> 7) * BLOCK_BYTES + (<usize>(rank & 127) << 1));
}

/** Whether a block's starts are known, by its number within the list: if they could be, they are added up now. */
@inline
export function knowBlock(list: PostingList, index: i32): bool {
  const state = load<u8>(list.knownBlocks + <usize>index);
  return state == IS_KNOWN || (state != IS_TOO_LONG && sumUp(list, index));
}

/** False where 16 bits don't suffice. */
function sumUp(list: PostingList, index: i32): bool {
  const block = list.firstBlock + index;
  openBlock(list, block);
  let at = positionStarts(list, block, true);
  const target = list.knownStarts + <usize>index * BLOCK_BYTES;
  let all = i32x4.splat(0);
  for (let entry = 0; entry <= list.count; entry += 8) {
    const low = v128.load(at);
    const high = v128.load(at, 16);
    all = v128.or(all, v128.or(low, high));
    v128.store(target + (<usize>entry << 1), i16x8.narrow_i32x4_u(low, high));
    at += 32;
  }
  const state = v128.any_true(i32x4.shr_u(all, 16)) ? IS_TOO_LONG : IS_KNOWN;
  store<u8>(list.knownBlocks + <usize>index, state);
  return state == IS_KNOWN;
}

/** How many positions of so many bits each there are; a document whose positions take none has one. */
@inline
export function freqOfBits(total: u32, bits: u32): i32 {
  // A whole number, and numbers so small are exact in f32.
  return bits == 0 ? 1 : <i32>(<f32>total / <f32>bits);
}

/** Finds the positions of a block's entry, which is a document's. */
export function openPositions(run: PositionRun, list: PostingList, block: i32, entry: i32, doc: i32): void {
  const index = block - list.firstBlock;
  run.bits = <u32>load<u8>(list.positionWidths + <usize>doc);
  run.base = positionBytes(list, block);
  if (list.knownStarts != 0 && knowBlock(list, index)) {
    const ends = knownStarts(list, (index << 7) + entry);
    run.start = ends & 0xffff;
    run.count = freqOfBits((ends >>> 16) - run.start, run.bits);
    return;
  }
  openBlock(list, block);
  run.count = load<i32>(list.freqs + (<usize>entry << 2));
  const starts = positionStarts(list, block, false);
  run.start = starts == 0 ? bitsBefore(list, block, entry) : load<u32>(starts + (<usize>entry << 2));
}
