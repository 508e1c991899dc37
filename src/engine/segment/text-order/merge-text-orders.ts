import type { SlicedWork } from "../sliced-work.js";
import type { TextOrderMergeInput } from "./text-order-merge-input.js";

/** Ranks given between two pauses; a power of two. */
const RANKS_PER_STEP = 4096;

/** Merges ranks of one field; null if no kept document has a value. */
export function* mergeTextOrders(
  inputs: readonly TextOrderMergeInput[],
  newMaxDoc: number,
): SlicedWork<Uint32Array | null> {
  yield* markCompared(inputs);
  let newRank = 0;
  const matching: TextOrderMergeInput[] = [];
  for (const input of inputs) input.rewind();
  // Each turn gives one new rank to the least value, wherever it occurs; ends when every cursor is at its end.
  for (;;) {
    for (const input of inputs) if (input.needsText) yield* input.readTexts();
    collectLeast(inputs, matching, compareValues);
    if (matching.length === 0) break;
    newRank++;
    if ((newRank & (RANKS_PER_STEP - 1)) === 0) yield;
    for (const input of matching) {
      input.newRanks[input.rank] = newRank;
      input.advance();
    }
  }
  if (newRank === 0) return null;
  const merged = new Uint32Array(newMaxDoc);
  for (const { ranks, docMap, newRanks } of inputs) {
    for (let docId = 0; docId < ranks.length; docId++) {
      const newDocId = docMap[docId]!;
      if (newDocId >= 0) merged[newDocId] = newRanks[ranks[docId]!]!;
    }
    yield;
  }
  return merged;
}

/** Finds the values that are compared whole: their prefixes are cut and equal in two segments. */
function* markCompared(inputs: readonly TextOrderMergeInput[]): SlicedWork {
  for (const input of inputs) input.rewind();
  const matching: TextOrderMergeInput[] = [];
  for (let step = 1; ; step++) {
    collectLeast(inputs, matching, comparePrefixes);
    const first = matching[0];
    if (first === undefined) return;
    const isCompared = matching.length > 1 && first.isCut;
    for (const input of matching) input.passPrefix(isCompared);
    if ((step & (RANKS_PER_STEP - 1)) === 0) yield;
  }
}

type Order = (left: TextOrderMergeInput, right: TextOrderMergeInput) => number;
const compareValues: Order = (left, right) => left.compare(right);
const comparePrefixes: Order = (left, right) => left.comparePrefix(right);

/** Replaces `matching` by the inputs whose cursors stand at what is least in the order; none at the end. */
function collectLeast(
  inputs: readonly TextOrderMergeInput[],
  matching: TextOrderMergeInput[],
  compare: Order,
): void {
  matching.length = 0;
  for (let i = 0; i < inputs.length; i++) {
    const input = inputs[i]!;
    if (input.rank === 0) continue;
    const order = matching.length === 0 ? -1 : compare(input, matching[0]!);
    if (order > 0) continue;
    if (order < 0) matching.length = 0;
    matching.push(input);
  }
}
