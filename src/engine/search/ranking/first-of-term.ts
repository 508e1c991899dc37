import { type NumberOrder, SegmentKernels } from "../../kernels/segment-kernels.js";
import type { SegmentContext } from "../weights/matcher.js";
import type { RankingTerm } from "./ranking-plan.js";

/**
 * The first live documents of a term by a number, without bits of all its documents; null where there are no
 * kernels.
 */
export function firstOfTerm(
  { terms, place, weight, similarity }: RankingTerm,
  order: NumberOrder,
  { segment, pool }: SegmentContext,
): Uint32Array | null {
  const kernels = segment.image === null ? null : SegmentKernels.over(segment.image);
  if (kernels === null) return null;
  const { lists, functions } = kernels;
  kernels.interruptBy(pool.interrupt);
  lists.begin();
  lists.add(terms.image!, place, weight, similarity, 0, null, true);
  kernels.prepare();
  functions.accept(segment.liveDocs === null ? 0 : kernels.bitsets.ofLive(segment.liveDocs));
  return kernels.firstOfList(order);
}
