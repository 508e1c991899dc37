import { testBit } from "../../bytes/bitset.js";
import { ScratchExhaustedError } from "../../kernels/image-memory.js";
import type { JoinedList, JoinedMarks } from "../../kernels/joined-memory.js";
import { HITS_MAX, LISTS_MAX } from "../../kernels/scratch-layout.js";
import { kernelPace, type SegmentKernels } from "../../kernels/segment-kernels.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { ACCEPTED } from "./bitset-uses.js";
import { areAllDense, countAllDense, countAny } from "./count-lists.js";
import type { Joinable, JoinedLists } from "./joined-lists.js";
import { type KernelRanking, NO_HITS } from "./plan-run.js";
import type { RankingRequest } from "./ranking-request.js";

const NO_FILTERS: readonly JoinedMarks[] = [];

/**
 * The best documents of a snapshot that hold one of the terms, or all, numbered as `JoinedLists` does; null where
 * some term's list isn't joined. Gives the very documents, scores and counts that segments give one by one.
 *
 * @param filters that documents have to pass
 */
export function rankJoinedTerms(
  terms: readonly Joinable[],
  isConjunction: boolean,
  joined: JoinedLists,
  request: RankingRequest,
  interrupt: SearchInterrupt,
  filters: readonly JoinedMarks[] = NO_FILTERS,
): KernelRanking | null {
  if (request.limit === 0 || request.limit > HITS_MAX || terms.length > LISTS_MAX) return null;
  let missing = 0;
  for (let i = 0; i < terms.length; i++) {
    if (joined.of(terms[i]!) === null) missing++;
  }
  if (missing > 0 && !joinMissing(terms, joined, interrupt)) return null;
  try {
    return rankLists(terms, isConjunction, joined, request, interrupt, filters);
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
  filters: readonly JoinedMarks[],
): KernelRanking | null {
  // Joining a list may have taken a filter's room.
  for (let i = 0; i < filters.length; i++) if (!filters[i]!.isKept) return null;

  const { kernels, maxDoc } = joined;
  const { lists, layout, functions } = kernels;
  lists.begin();
  let only: JoinedList | null = null;
  let least = -1;
  let haveRows = filters.length === 0;
  for (let i = 0; i < terms.length; i++) {
    const list = terms[i]!.joined.list!;
    if (list.count === 0) {
      if (isConjunction) return NO_HITS;
      continue;
    }
    lists.addScored(list, isConjunction ? i : 0);
    only = list;
    haveRows &&= list.row !== 0;
    // Alternatives only add to what one of them alone gives.
    if (!isConjunction && filters.length === 0) least = Math.max(least, list.exceeded.by(limit));
  }
  if (only === null) return NO_HITS;
  const accepted = acceptedBits(kernels, filters);
  let count = 0;
  let hitCount: number;
  if (lists.count === 1 && accepted !== 0) {
    hitCount = kernels.topLoneTerm(limit, -1, accepted, interrupt);
    if (withCount) count = countPassing(only, kernels, accepted);
  } else if (lists.count === 1) {
    hitCount = kernels.topLoneTerm(limit, least, 0, interrupt);
    if (hitCount === limit && least < 0) only.exceeded.note(limit, kernels.hitScores[limit - 1]!);
    count = only.count;
  } else {
    kernels.interruptedBy(interrupt);
    // Ranking by rows counts nothing on the way.
    const isCountedByBits = isConjunction && withCount && (haveRows || areAllDense(kernels));
    count = functions.topTerms(
      kernelPace.postings,
      layout.lists,
      lists.count,
      layout.groups,
      maxDoc,
      accepted,
      layout.hitScores,
      layout.hitDocs,
      limit,
      least,
      isConjunction ? lists.orderByDocFreq() : 0,
      withCount && !isCountedByBits ? 1 : 0,
    );
    hitCount = functions.endTop();
    if (isCountedByBits) count = countAllDense(kernels, false, accepted);
    else if (count < 0 && withCount) count = countAny(kernels, accepted);
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

/** Address of the bits of what passes all filters; 0 if there are none. Uses `ACCEPTED`. */
function acceptedBits(kernels: SegmentKernels, filters: readonly JoinedMarks[]): number {
  if (filters.length === 0) return 0;
  if (filters.length === 1) return filters[0]!.address;
  const { functions, layout } = kernels;
  const target = kernels.bitsetAddress(ACCEPTED);
  functions.copyBits(target, filters[0]!.address, layout.bitsetBytes);
  for (let i = 1; i < filters.length; i++) {
    functions.andBits(target, filters[i]!.address, layout.bitsetBytes);
  }
  return target;
}

/** Documents of a list that pass. */
function countPassing(
  { count, docs, denseBits }: JoinedList,
  kernels: SegmentKernels,
  accepted: number,
): number {
  const { functions, layout } = kernels;
  if (denseBits !== 0) return functions.countCommon(denseBits, accepted, layout.bitsetBytes);
  const bits = kernels.bitsAt(accepted);
  const listed = new Uint32Array(bits.buffer, docs, count);
  let passing = 0;
  for (let i = 0; i < count; i++) if (testBit(bits, listed[i]!)) passing++;
  return passing;
}
