// AssemblyScript. The last step of a document that some lists have brought: what the other lists add to it.

import { PostingList } from "./posting-list";
import { boundWithout, exactScore, listAt, needsExactScore, probe, prunable } from "./ranking";
import { addHitAnytime, decaysTo, threshold } from "./top-hits";

/** The list at a place of an order, i32 by place. */
export function placed(order: usize, place: i32): PostingList {
  return listAt(load<i32>(order + (<usize>place << 2)));
}

/**
 * Adds what the lists before place `left` give a document, `rest` at most, and takes it if it is good
 * enough. Documents ascend from call to call, unless the lists' `probeBlock` has been set back.
 */
export function finish(order: usize, doc: i32, partial: f32, left: i32, bound: f32): void {
  let sum = partial;
  let rest = bound;
  if (decaysTo(prunable(threshold), doc, sum + rest)) return;
  for (let place = left - 1; place >= 0; place--) {
    if (sum + rest <= prunable(threshold)) return;
    const list = placed(order, place);
    rest = boundWithout(rest, list.windowMax);
    sum += max<f32>(0, probe(list, doc, sum + rest, prunable(threshold)));
  }
  if (sum <= prunable(threshold)) return;
  const score = needsExactScore() ? exactScore(doc) : sum;
  if (score >= threshold) addHitAnytime(doc, score);
}
