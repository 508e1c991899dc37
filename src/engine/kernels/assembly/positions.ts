// AssemblyScript. Where a document's positions are in a list: FORMAT.md says how they lie in the image.

import { loadDocs, loadFreqs } from "./posting-block";
import { PostingList } from "./posting-list";

/** A document's positions in one list: `count` numbers of `bits` each, from bit `start` of the bytes at `base`. */
@unmanaged
export class PositionRun {
  base: usize;
  start: u32;
  bits: u32;
  count: i32;
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
  return numberAt(run.base, run.start + <u32>index * run.bits, run.bits);
}

/** A number of so many bits, 32 at most, from any bit on. */
export function numberAt(base: usize, start: u32, bits: u32): i32 {
  const value = load<u64>(base + <usize>(start >>> 3)) >>> <u64>(start & 7);
  return <i32>(value & (((<u64>1) << bits) - 1));
}

/** Sums up the bits of a block's positions before each entry, and behind the last one. Its documents and frequencies are loaded. */
function sumBlock(list: PostingList, block: i32): void {
  if (list.summedBlock == block) return;
  list.summedBlock = block;
  const widths = list.positionWidths;
  let doc = list.docs;
  let freq = list.freqs;
  let sum = list.positionSums;
  let bits: u32 = 0;
  const end = doc + (<usize>list.count << 2);
  for (; doc + 16 <= end; doc += 16) {
    store<u32>(sum, bits);
    bits += load<u32>(freq) * widthOf(widths, load<u32>(doc));
    store<u32>(sum, bits, 4);
    bits += load<u32>(freq, 4) * widthOf(widths, load<u32>(doc, 4));
    store<u32>(sum, bits, 8);
    bits += load<u32>(freq, 8) * widthOf(widths, load<u32>(doc, 8));
    store<u32>(sum, bits, 12);
    bits += load<u32>(freq, 12) * widthOf(widths, load<u32>(doc, 12));
    freq += 16;
    sum += 16;
  }
  for (; doc < end; doc += 4) {
    store<u32>(sum, bits);
    bits += load<u32>(freq) * widthOf(widths, load<u32>(doc));
    freq += 4;
    sum += 4;
  }
  // Where the last entry's end, as often as eight values are read at a time.
  v128.store(sum, i32x4.splat(<i32>bits));
  v128.store(sum, i32x4.splat(<i32>bits), 16);
}

/** How many bits precede one entry of a list that has groups. */
export function bitsBefore(list: PostingList, block: i32, entry: i32): u32 {
  const group = entry >>> 5;
  const widths = list.positionWidths;
  let bits: u32 = group == 0 ? 0 : load<u32>(list.positionGroups + (<usize>(block * 3 + group - 1) << 2));
  let doc = list.docs + (<usize>group << 7);
  let freq = list.freqs + (<usize>group << 7);
  for (const end = list.docs + (<usize>entry << 2); doc < end; doc += 4) {
    bits += load<u32>(freq) * widthOf(widths, load<u32>(doc));
    freq += 4;
  }
  return bits;
}

function widthOf(widths: usize, doc: u32): u32 {
  return <u32>load<u8>(widths + <usize>doc);
}

/** Finds the positions of a block's entry, which is a document's. */
export function openPositions(run: PositionRun, list: PostingList, block: i32, entry: i32, doc: i32): void {
  openBlock(list, block);
  run.bits = <u32>load<u8>(list.positionWidths + <usize>doc);
  run.base = positionBytes(list, block);
  run.count = load<i32>(list.freqs + (<usize>entry << 2));
  const starts = positionStarts(list, block, false);
  run.start = starts == 0 ? bitsBefore(list, block, entry) : load<u32>(starts + (<usize>entry << 2));
}
