// AssemblyScript. Rows of score bytes: what a list gives each document of a snapshot, rounded up to one of 255 steps,
// and the greatest of every 16 documents. Of lists with rows most documents are left out 256, then 16 at a time.

import { pace } from "./pace";
import { denseRank, PostingList } from "./posting-list";
import { acceptsAll, listAt, listCount, maxDoc, sumOfLists } from "./ranking";
import { addHit, isDecaying, threshold } from "./top-hits";

/** Documents with a maximum, and those with a vector of maxima. */
export const GROUP_DOCS: i32 = 16;
export const VECTOR_DOCS: i32 = 256;
/** The greatest byte. */
const CODE_MAX: f32 = 255;
/** What the greatest scores of all lists are together, in the steps in which 16 bits are compared; weights have 8 bits. */
const SUM_SCALE: f32 = 64000;
/** Makes up for rounding, so that what is compared is never too little. */
const MARGIN: f32 = 1.00001;
/** Sums above it might not be numbers. */
const SCORES_MAX: f32 = 1e37;

/**
 * Makes the row of a list: bytes by document, the maxima of groups, and by byte the greatest score that it stands for,
 * f32 × 256.
 *
 * @param bytes of the row, a multiple of 256
 */
export function fillRow(
  row: usize,
  maxima: usize,
  rowScores: usize,
  bytes: i32,
  docs: usize,
  scores: usize,
  count: i32,
  scoreMax: f32,
): void {
  memory.fill(row, 0, <usize>bytes);
  memory.fill(rowScores, 0, 1024);
  const steps = f32x4.splat(CODE_MAX / scoreMax);
  const most = f32x4.splat(CODE_MAX);
  const least = f32x4.splat(1);
  let at = 0;
  for (; at + 4 <= count; at += 4) {
    const own = v128.load(scores + (<usize>at << 2));
    const codes = i32x4.trunc_sat_f32x4_s(f32x4.pmax(least, f32x4.pmin(most, f32x4.ceil(f32x4.mul(own, steps)))));
    const doc = docs + (<usize>at << 2);
    setCode(row, rowScores, load<u32>(doc), i32x4.extract_lane(codes, 0), f32x4.extract_lane(own, 0));
    setCode(row, rowScores, load<u32>(doc, 4), i32x4.extract_lane(codes, 1), f32x4.extract_lane(own, 1));
    setCode(row, rowScores, load<u32>(doc, 8), i32x4.extract_lane(codes, 2), f32x4.extract_lane(own, 2));
    setCode(row, rowScores, load<u32>(doc, 12), i32x4.extract_lane(codes, 3), f32x4.extract_lane(own, 3));
  }
  for (; at < count; at++) {
    const own = load<f32>(scores + (<usize>at << 2));
    const code = <i32>max<f32>(1, min<f32>(CODE_MAX, ceil(own * (CODE_MAX / scoreMax))));
    setCode(row, rowScores, load<u32>(docs + (<usize>at << 2)), code, own);
  }
  for (let group = 0; group < bytes >>> 4; group++) {
    let codes = v128.load(row + (<usize>group << 4));
    codes = i8x16.max_u(codes, v128.shuffle<i64>(codes, codes, 1, 0));
    codes = i8x16.max_u(codes, v128.shuffle<i32>(codes, codes, 1, 0, 3, 2));
    codes = i8x16.max_u(codes, v128.shuffle<i16>(codes, codes, 1, 0, 3, 2, 5, 4, 7, 6));
    const pair = <u32>i16x8.extract_lane_u(codes, 0);
    store<u8>(maxima + <usize>group, <u8>max(pair & 255, pair >>> 8));
  }
}

@inline
function setCode(row: usize, rowScores: usize, doc: u32, code: i32, score: f32): void {
  store<u8>(row + <usize>doc, <u8>code);
  // Hardly ever the greatest so far, so that what is read hasn't just been written.
  const slot = rowScores + (<usize>code << 2);
  if (score > load<f32>(slot)) store<f32>(slot, score);
}

/** Steps of a score of 1. */
let steps: f32 = 0;

/** Whether `topOfRows` may be asked: all lists have rows, and all documents count. */
export function haveRows(): bool {
  if (!acceptsAll() || isDecaying()) return false;
  for (let index = 0; index < listCount; index++) if (listAt(index).row == 0) return false;
  return weighRows();
}

/** Weighs the bytes of lists with rows, so that their sums can be compared; false where scores are too great for it. */
export function weighRows(): bool {
  let sum: f32 = 0;
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    if (list.row != 0) sum += list.maxScore;
  }
  if (!(sum < SCORES_MAX)) return false;
  steps = SUM_SCALE / sum;
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    // Others have no bytes.
    list.rowWeight = list.row == 0 ? 0 : <i32>ceil((list.maxScore * steps * MARGIN) / CODE_MAX);
  }
  return true;
}

/** What documents' sums have to reach at least, i16 × 8. */
function limits(): v128 {
  const limit = (threshold * steps) / MARGIN;
  return i16x8.splat(<i16>max<f32>(1, min<f32>(65535, floor(limit))));
}

/** Finds the best documents that all lists hold, or any. */
export function topOfRows(isConjunction: bool): void {
  if (listCount == 2) topOfTwo(isConjunction);
  else topOfMany(isConjunction);
}

function topOfTwo(isConjunction: bool): void {
  const first = listAt(0);
  const second = listAt(1);
  const firstWeights = i8x16.splat(<i8>first.rowWeight);
  const secondWeights = i8x16.splat(<i8>second.rowWeight);
  const all = isConjunction ? i8x16.splat(0) : i8x16.splat(-1);
  let known = threshold;
  let least = limits();
  for (let start = 0; start < maxDoc; start += VECTOR_DOCS) {
    pace(GROUP_DOCS);
    const at = <usize>(start >>> 4);
    let groups = above(v128.load(first.rowMaxima + at), v128.load(second.rowMaxima + at), firstWeights, secondWeights, all, least);
    for (; groups != 0; groups &= groups - 1) {
      const group = start + (ctz(groups) << 4);
      let docs = above(v128.load(first.row + <usize>group), v128.load(second.row + <usize>group), firstWeights, secondWeights, all, least);
      if (docs == 0) continue;
      for (; docs != 0; docs &= docs - 1) takeOfTwo(first, second, group + ctz(docs));
      if (threshold != known) {
        known = threshold;
        least = limits();
      }
    }
  }
}

/** Which of 16 pairs of bytes weigh enough; `all` is 0 where both have to be there. */
@inline
function above(first: v128, second: v128, firstWeights: v128, secondWeights: v128, all: v128, least: v128): i32 {
  const low = i16x8.add_sat_u(i16x8.extmul_low_i8x16_u(first, firstWeights), i16x8.extmul_low_i8x16_u(second, secondWeights));
  const high = i16x8.add_sat_u(i16x8.extmul_high_i8x16_u(first, firstWeights), i16x8.extmul_high_i8x16_u(second, secondWeights));
  const enough = i8x16.narrow_i16x8_s(i16x8.ge_u(low, least), i16x8.ge_u(high, least));
  const both = i8x16.ne(i8x16.min_u(first, second), i8x16.splat(0));
  return i8x16.bitmask(v128.and(enough, v128.or(both, all)));
}

function takeOfTwo(first: PostingList, second: PostingList, doc: i32): void {
  const firstCode = <i32>load<u8>(first.row + <usize>doc);
  const secondCode = <i32>load<u8>(second.row + <usize>doc);
  // Sums of greater scores are no less, however they are rounded.
  if (rowScore(first, firstCode) + rowScore(second, secondCode) <= threshold) return;
  const score = scoreHeld(first, firstCode, doc) + scoreHeld(second, secondCode, doc);
  if (score > threshold) addHit(doc, score);
}

function topOfMany(isConjunction: bool): void {
  for (let start = 0; start < maxDoc; start += VECTOR_DOCS) {
    pace(GROUP_DOCS);
    let groups = aboveOfMany(isConjunction, start >>> 4, true);
    for (; groups != 0; groups &= groups - 1) {
      const group = start + (ctz(groups) << 4);
      let docs = aboveOfMany(isConjunction, group, false);
      for (; docs != 0; docs &= docs - 1) takeOfMany(group + ctz(docs));
    }
  }
}

/** Which of 16 documents, or groups, may be good enough by what lists with rows give them. */
export function aboveOfMany(isConjunction: bool, at: i32, areMaxima: bool): i32 {
  let low = i16x8.splat(0);
  let high = i16x8.splat(0);
  let least = i8x16.splat(-1);
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    if (list.row == 0) continue;
    const codes = v128.load((areMaxima ? list.rowMaxima : list.row) + <usize>at);
    const weights = i8x16.splat(<i8>list.rowWeight);
    low = i16x8.add_sat_u(low, i16x8.extmul_low_i8x16_u(codes, weights));
    high = i16x8.add_sat_u(high, i16x8.extmul_high_i8x16_u(codes, weights));
    least = i8x16.min_u(least, codes);
  }
  const limit = limits();
  const enough = i8x16.narrow_i16x8_s(i16x8.ge_u(low, limit), i16x8.ge_u(high, limit));
  return i8x16.bitmask(isConjunction ? v128.and(enough, i8x16.ne(least, i8x16.splat(0))) : enough);
}

function takeOfMany(doc: i32): void {
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    list.docScore = rowScore(list, codeOf(list, doc));
  }
  if (sumOfLists() <= threshold) return;
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    list.docScore = scoreHeld(list, codeOf(list, doc), doc);
  }
  const score = sumOfLists();
  if (score > threshold) addHit(doc, score);
}

export function codeOf(list: PostingList, doc: i32): i32 {
  return <i32>load<u8>(list.row + <usize>doc);
}

/** The greatest score that a byte stands for. */
export function rowScore(list: PostingList, code: i32): f32 {
  return load<f32>(list.rowScores + (<usize>code << 2));
}

/** What a list gives a document whose byte is known. */
export function scoreHeld(list: PostingList, code: i32, doc: i32): f32 {
  return code == 0 ? 0 : load<f32>(list.allScores + (<usize>denseRank(list, doc) << 2));
}
