import { ScratchExhaustedError } from "../../kernels/image-memory.js";
import type { JoinedList } from "../../kernels/joined-memory.js";
import { HITS_MAX, LISTS_MAX } from "../../kernels/scratch-layout.js";
import { kernelPace } from "../../kernels/segment-kernels.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { areAllDense, countAllDense, countAny } from "./count-lists.js";
import type { Joinable, JoinedLists } from "./joined-lists.js";
import { type KernelRanking, NO_HITS } from "./plan-run.js";
import type { RankingRequest } from "./ranking-request.js";

/**
 * The best documents of a snapshot that hold one of the terms, or all, numbered as `JoinedLists` does; null where
 * some term's list isn't joined. Gives the very documents, scores and counts that segments give one by one.
 */
export function rankJoinedTerms(
  terms: readonly Joinable[],
  isConjunction: boolean,
  joined: JoinedLists,
  request: RankingRequest,
  interrupt: SearchInterrupt,
): KernelRanking | null {
  if (request.limit === 0 || request.limit > HITS_MAX || terms.length > LISTS_MAX) return null;
  let missing = 0;
  for (let i = 0; i < terms.length; i++) {
    if (joined.of(terms[i]!) === null) missing++;
  }
  if (missing > 0 && !joinMissing(terms, joined, interrupt)) return null;
  try {
    return rankLists(terms, isConjunction, joined, request, interrupt);
  } catch (error) {
    if (error instanceof ScratchExhaustedError) return null;
    throw error;
  }
}

/** Whether all are joined now. */
function joinMissing(terms: readonly Joinable[], joined: JoinedLists, interrupt: SearchInterrupt): boolean {
  for (let i = 0; i < terms.length; i++) {
    if (joined.of(terms[i]!) === null) joined.note(terms[i]!, interrupt);
  }
  // Room for one may have been another's.
  for (let i = 0; i < terms.length; i++) {
    if (joined.of(terms[i]!) === null) return false;
  }
  return true;
}

function rankLists(
  terms: readonly Joinable[],
  isConjunction: boolean,
  joined: JoinedLists,
  { limit, withCount }: RankingRequest,
  interrupt: SearchInterrupt,
): KernelRanking {
  const { kernels, maxDoc } = joined;
  const { lists, layout, functions } = kernels;
  lists.begin();
  let only: JoinedList | null = null;
  let least = -1;
  for (let i = 0; i < terms.length; i++) {
    const list = terms[i]!.joined.list!;
    if (list.count === 0) {
      if (isConjunction) return NO_HITS;
      continue;
    }
    lists.addScored(list, isConjunction ? i : 0);
    only = list;
    // Alternatives only add to what one of them alone gives.
    if (!isConjunction) least = Math.max(least, list.exceeded.by(limit));
  }
  if (only === null) return NO_HITS;
  let count = 0;
  let hitCount: number;
  if (lists.count === 1) {
    hitCount = kernels.topLoneTerm(limit, least, 0, interrupt);
    if (hitCount === limit && least < 0) only.exceeded.note(limit, kernels.hitScores[limit - 1]!);
    count = only.count;
  } else {
    kernels.interruptedBy(interrupt);
    const isCountedByBits = isConjunction && withCount && areAllDense(kernels);
    count = functions.topTerms(
      kernelPace.postings,
      layout.lists,
      lists.count,
      layout.groups,
      maxDoc,
      0,
      layout.hitScores,
      layout.hitDocs,
      limit,
      least,
      isConjunction ? lists.orderByDocFreq() : 0,
      withCount && !isCountedByBits ? 1 : 0,
    );
    hitCount = functions.endTop();
    if (isCountedByBits) count = countAllDense(kernels, false, 0);
    else if (count < 0 && withCount) count = countAny(kernels, 0);
  }
  return {
    count: withCount ? count : 0,
    matches: null,
    kernels,
    hitCount,
    hitScores: kernels.hitScores,
    hitDocs: kernels.hitDocs,
  };
}
