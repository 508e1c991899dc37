// AssemblyScript. A list that TypeScript has laid out is made ready: a short one is decoded and scored.

import { docAt, loadLastBlock, padBlock, scoreBlock } from "./posting-block";
import {
  BOUND_SCALE,
  boundOfBlocks,
  isBits,
  isScored,
  isShort,
  PostingList,
  rewindList,
} from "./posting-list";

/** Takes a list that has been filled in: decodes and scores a short one, finds the greatest score. */
export function prepareList(list: PostingList): void {
  list.loaded = -1;
  list.loadedFreqs = -1;
  list.scored = -1;
  list.summedBlock = -1;
  if (isShort(list)) prepareShortList(list);
  if (isBits(list)) {
    list.maxScore = list.boundBase;
    list.block = list.endBlock;
    return;
  }
  if (isScored(list)) {
    // The block with the greatest score has the greatest bound that there is.
    list.maxScore = list.boundUnit * BOUND_SCALE;
    rewindList(list);
    return;
  }
  list.maxScore = boundOfBlocks(list, list.firstBlock, list.endBlock);
  rewindList(list);
}

/** A list of fewer than 128 documents is one block that stays loaded, with its own metadata in scratch memory. */
function prepareShortList(list: PostingList): void {
  if (list.shortness == 2) padBlock(list, list.docFreq);
  else loadLastBlock(list, list.data, -1);
  list.loaded = 0;
  list.loadedFreqs = 0;
  list.boundBase = 0;
  list.boundUnit = scoredMaximum(list);
  store<u16>(list.bounds, 1);
  store<i32>(list.lastDocs, docAt(list, list.count - 1));
}

/** Scores a short list and returns its greatest score. */
function scoredMaximum(list: PostingList): f32 {
  scoreBlock(list, 0);
  let greatests = f32x4.splat(0);
  for (let entry = 0; entry < list.count; entry += 4) {
    greatests = f32x4.pmax(greatests, v128.load(list.scores + (<usize>entry << 2)));
  }
  greatests = f32x4.pmax(greatests, v128.shuffle<i64>(greatests, greatests, 1, 0));
  greatests = f32x4.pmax(greatests, v128.shuffle<i32>(greatests, greatests, 1, 0, 3, 2));
  return f32x4.extract_lane(greatests, 0);
}
