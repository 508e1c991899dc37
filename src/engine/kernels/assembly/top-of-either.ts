// AssemblyScript. The best documents that one of two lists holds, or both: those of both first, as they lift the
// threshold most, then each list's own, most of whose blocks can't compete by themselves any more.

import { countAcceptedCommon } from "./matches";
import { isBits } from "./posting-list";
import { listAt, listCount, maxDoc, needsExactScore } from "./ranking";
import { isDecaying } from "./top-hits";
import { topOfAll } from "./top-of-all";
import { topOfListWithout } from "./top-term";

/** Lists with bits are counted by these if the rarer one is in this part of the documents, else on the way. */
const COUNTED_BY_BITS_SHARE: i32 = 32;

/** i32 × 2: the lists, rarer first. */
let order: usize = 0;

export function layOutEither(orderBuffer: usize): void {
  order = orderBuffer;
}

/** Whether `topOfEither` may be asked. */
export function areEither(): bool {
  return listCount == 2 && !needsExactScore() && !isDecaying() && !isBits(listAt(0)) && !isBits(listAt(1));
}

/**
 * Finds the best `k` documents; returns how many any list holds if they are counted, which they aren't unless all
 * documents count; else -1.
 */
export function topOfEither(k: i32, isCounting: bool): i32 {
  const isSecondRarer = listAt(1).docFreq < listAt(0).docFreq;
  store<i32>(order, <i32>isSecondRarer);
  store<i32>(order, <i32>!isSecondRarer, 4);
  const rarer = listAt(<i32>isSecondRarer);
  const other = listAt(<i32>!isSecondRarer);
  const isFrequent = rarer.docFreq >= maxDoc / COUNTED_BY_BITS_SHARE;
  const isCountedByBits = isCounting && isFrequent && rarer.denseBits != 0 && other.denseBits != 0;
  let shared = topOfAll(order, isCounting && !isCountedByBits);
  if (isCountedByBits) shared = countAcceptedCommon(rarer.denseBits, other.denseBits, ((maxDoc + 511) >>> 9) << 6);
  // The list of the greater scores first, as it lifts the threshold.
  if (rarer.maxScore >= other.maxScore) {
    topOfListWithout(rarer, k, other);
    topOfListWithout(other, k, rarer);
  } else {
    topOfListWithout(other, k, rarer);
    topOfListWithout(rarer, k, other);
  }
  return isCounting ? rarer.docFreq + other.docFreq - shared : -1;
}
