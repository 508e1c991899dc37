// AssemblyScript. Where a document's positions are in a list: FORMAT.md says how they lie in the image.

import { docAt, loadDocs, loadFreqs, PostingList } from "./posting-list";

/** A document's positions in one list: `count` numbers of `bits` each, from bit `start` of the bytes at `base`. */
@unmanaged
export class PositionRun {
  base: usize;
  start: u32;
  bits: u32;
  count: i32;
}

/**
 * Finds the positions of a block's entry.
 *
 * @param isCrowded whether many entries of the block will be asked for: all are summed up then
 */
export function openPositions(run: PositionRun, list: PostingList, block: i32, entry: i32, isCrowded: bool): void {
  openBlock(list, block);
  run.base = positionBytes(list, block);
  run.bits = <u32>load<u8>(list.positionWidths + <usize>docAt(list, entry));
  run.count = load<i32>(list.freqs + (<usize>entry << 2));
  const starts = positionStarts(list, block, isCrowded);
  run.start = starts == 0 ? bitsBefore(list, block, entry) : load<u32>(starts + (<usize>entry << 2));
}

/** Decodes all of a block that leads to its positions. */
export function openBlock(list: PostingList, block: i32): void {
  loadDocs(list, block);
  loadFreqs(list, block);
}

/** Address of a block's positions. */
export function positionBytes(list: PostingList, block: i32): usize {
  return list.positionData + <usize>load<u32>(list.positionOffsets + (<usize>block << 2));
}

/**
 * Address of the bits of an open block's positions before each entry, u32; 0: not summed up, which
 * `bitsBefore` does for one of them.
 */
export function positionStarts(list: PostingList, block: i32, isCrowded: bool): usize {
  if (!isCrowded && list.summedBlock != block && list.positionGroups != 0) return 0;
  sumBlock(list, block);
  return list.positionSums;
}

/** A position of a run: it may start at any bit and spans at most 32. */
export function positionAt(run: PositionRun, index: i32): i32 {
  const bit = <u64>run.start + <u64>index * <u64>run.bits;
  const value = load<u64>(run.base + <usize>(bit >>> 3)) >>> (bit & 7);
  return <i32>(value & (((<u64>1) << run.bits) - 1));
}

/** Bits that a position may take for four to be read at once. */
export const FOLDED_BITS_MAX: u32 = 14;

/** Positions, less all but their last six bits, as bits. Four at a time, whether there are as many or not. */
export function foldedBits(base: usize, start: u32, width: u32, count: i32): u64 {
  const mask = <u64>min<u32>(((<u32>1) << width) - 1, 63);
  let bits: u64 = 0;
  do {
    let word = load<u64>(base + <usize>(start >>> 3)) >>> (start & 7);
    bits |= (<u64>1) << (word & mask);
    word >>>= <u64>width;
    bits |= (<u64>(count > 1)) << (word & mask);
    word >>>= <u64>width;
    bits |= (<u64>(count > 2)) << (word & mask);
    word >>>= <u64>width;
    bits |= (<u64>(count > 3)) << (word & mask);
    start += width << 2;
    count -= 4;
  } while (count > 0);
  return bits;
}

/** How many positions of the second run stand `distance`, 0 or more, behind one of the first. */
export function countMerged(first: PositionRun, second: PositionRun, distance: i32): i32 {
  let count = 0;
  let left = 0;
  let right = 0;
  let wanted = positionAt(first, 0) + distance;
  let found = positionAt(second, 0);
  while (true) {
    if (found < wanted) {
      if (++right == second.count) break;
      found = positionAt(second, right);
      continue;
    }
    if (found == wanted) count++;
    if (++left == first.count) break;
    wanted = positionAt(first, left) + distance;
  }
  return count;
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
    const taken = i32x4.mul(widthsOf(widths, doc), v128.load(freq));
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

/** The same for one entry of a list that has groups. Four at a time; of the last four only those before it count. */
export function bitsBefore(list: PostingList, block: i32, entry: i32): u32 {
  const group = entry >>> 5;
  const widths = list.positionWidths;
  let doc = list.docs + (<usize>group << 7);
  let freq = list.freqs + (<usize>group << 7);
  const last = list.docs + (<usize>(entry & ~3) << 2);
  let bits = i32x4.splat(0);
  for (; doc < last; doc += 16) {
    bits = i32x4.add(bits, i32x4.mul(widthsOf(widths, doc), v128.load(freq)));
    freq += 16;
  }
  if ((entry & 3) != 0) {
    const counts = i32x4.lt_s(i32x4(0, 1, 2, 3), i32x4.splat(entry & 3));
    // There may be no document behind the entry, so the others are looked at as if they were its own.
    const own = i32x4.splat(load<i32>(list.docs + (<usize>entry << 2)));
    const four = v128.bitselect(v128.load(doc), own, counts);
    let taken = i32x4.splat(<i32>load<u8>(widths + <usize>i32x4.extract_lane(four, 0)));
    taken = i32x4.replace_lane(taken, 1, <i32>load<u8>(widths + <usize>i32x4.extract_lane(four, 1)));
    taken = i32x4.replace_lane(taken, 2, <i32>load<u8>(widths + <usize>i32x4.extract_lane(four, 2)));
    bits = i32x4.add(bits, v128.and(counts, i32x4.mul(taken, v128.load(freq))));
  }
  bits = i32x4.add(bits, v128.shuffle<i64>(bits, bits, 1, 1));
  bits = i32x4.add(bits, v128.shuffle<i32>(bits, bits, 1, 1, 1, 1));
  const before: u32 = group == 0 ? 0 : load<u32>(list.positionGroups + (<usize>(block * 3 + group - 1) << 2));
  return before + <u32>i32x4.extract_lane(bits, 0);
}

/** Bits that the positions of four documents take each. */
function widthsOf(widths: usize, doc: usize): v128 {
  let four = i32x4.splat(<i32>load<u8>(widths + <usize>load<u32>(doc)));
  four = i32x4.replace_lane(four, 1, <i32>load<u8>(widths + <usize>load<u32>(doc, 4)));
  four = i32x4.replace_lane(four, 2, <i32>load<u8>(widths + <usize>load<u32>(doc, 8)));
  return i32x4.replace_lane(four, 3, <i32>load<u8>(widths + <usize>load<u32>(doc, 12)));
}
