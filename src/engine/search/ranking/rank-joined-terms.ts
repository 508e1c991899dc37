import { testBit } from "../../bytes/bitset.js";
import type { JoinedList, JoinedMarks } from "../../kernels/joined-memory.js";
import { HITS_MAX, LISTS_MAX } from "../../kernels/scratch-layout.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { RankedResult } from "../search-types.js";
import { ACCEPTED } from "./bitset-uses.js";
import { areAllDense, countAllDense, countAny } from "./count-lists.js";
import type { Joinable, JoinedLists } from "./joined-lists.js";

/**
 * The best documents of a snapshot that hold a term, numbered as `JoinedLists` does; null where its list isn't joined.
 * Gives the very documents, scores and counts that segments give one by one.
 */
export function rankJoinedTerm(
  term: Joinable,
  joined: JoinedLists,
  limit: number,
  withCount: boolean,
  interrupt: SearchInterrupt,
): RankedResult | null {
  if (limit === 0 || limit > HITS_MAX) return null;
  const list = joined.listOf(term, interrupt);
  return list === null ? null : rankList(list, joined, limit, withCount, interrupt);
}

/**
 * The same for documents that hold one of several terms, or all.
 *
 * @param filters that documents have to pass
 */
export function rankJoinedTerms(
  terms: readonly Joinable[],
  isConjunction: boolean,
  joined: JoinedLists,
  limit: number,
  withCount: boolean,
  interrupt: SearchInterrupt,
  filters: readonly JoinedMarks[],
): RankedResult | null {
  if (limit === 0 || limit > HITS_MAX || terms.length > LISTS_MAX) return null;
  if (!joined.haveLists(terms, interrupt)) return null;
  // Room for one may have been a filter's.
  for (let i = 0; i < filters.length; i++) if (!filters[i]!.isKept) return null;

  const { kernels } = joined;
  const { lists } = kernels;
  lists.begin();
  let only: JoinedList | null = null;
  let least = -1;
  let haveRows = filters.length === 0;
  for (let i = 0; i < terms.length; i++) {
    const list = terms[i]!.joined.list!;
    if (list.count === 0) {
      if (isConjunction) return joined.resultOf(0, 0);
      continue;
    }
    lists.addJoined(list, isConjunction ? i : 0);
    only = list;
    haveRows &&= list.row !== 0;
    // Alternatives only add to what one of them alone gives.
    if (!isConjunction && filters.length === 0) least = Math.max(least, list.exceeded.by(limit));
  }
  if (only === null) return joined.resultOf(0, 0);
  if (lists.count === 1) {
    return filters.length === 0
      ? rankList(only, joined, limit, withCount, interrupt)
      : rankPassing(only, acceptedBits(kernels, filters), joined, limit, withCount, interrupt);
  }
  const accepted = acceptedBits(kernels, filters);
  // Ranking by rows counts nothing on the way.
  const isCountedByBits = isConjunction && withCount && (haveRows || areAllDense(kernels));
  const isCounting = withCount && !isCountedByBits;
  let count = kernels.topJoined(joined.maxDoc, limit, least, accepted, interrupt, isConjunction, isCounting);
  const { hitCount } = kernels;
  if (isCountedByBits) count = countAllDense(kernels, false, accepted);
  else if (count < 0 && withCount) count = countAny(kernels, accepted);
  return joined.resultOf(withCount ? count : 0, hitCount);
}

function rankList(
  { address, count, exceeded }: JoinedList,
  joined: JoinedLists,
  limit: number,
  withCount: boolean,
  interrupt: SearchInterrupt,
): RankedResult {
  if (count === 0) return joined.resultOf(0, 0);
  const { kernels } = joined;
  const least = exceeded.by(limit);
  const hitCount = kernels.topLoneTerm(limit, least, 0, interrupt, address);
  if (hitCount === limit && least < 0) exceeded.note(limit, kernels.hitScores[limit - 1]!);
  return joined.resultOf(withCount ? count : 0, hitCount);
}

/** The same of the documents that are among bits. */
function rankPassing(
  list: JoinedList,
  accepted: number,
  joined: JoinedLists,
  limit: number,
  withCount: boolean,
  interrupt: SearchInterrupt,
): RankedResult {
  const { kernels } = joined;
  const hitCount = kernels.topLoneTerm(limit, -1, accepted, interrupt, list.address);
  return joined.resultOf(withCount ? countPassing(list, kernels, accepted) : 0, hitCount);
}

/** Address of the bits of what passes all filters; 0 if there are none. Uses `ACCEPTED`. */
function acceptedBits(kernels: SegmentKernels, filters: readonly JoinedMarks[]): number {
  if (filters.length === 0) return 0;
  if (filters.length === 1) return filters[0]!.address;
  const { functions, layout } = kernels;
  const target = kernels.bitsets.addressOf(ACCEPTED);
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
  const bits = kernels.bitsets.at(accepted);
  const listed = new Uint32Array(bits.buffer, docs, count);
  let passing = 0;
  for (let i = 0; i < count; i++) if (testBit(bits, listed[i]!)) passing++;
  return passing;
}
