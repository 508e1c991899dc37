import type { ScoredDocs } from "../../kernels/scored-docs.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { SegmentContext } from "../plan/matcher.js";
import type { ConstantLeaf, QueryPlan, TermLeaf } from "../plan/query-plan.js";
import { markAccepted } from "./accepted-documents.js";

/** Scores below could be rounded to 0, which kernels take for no match. */
const WEIGHT_MIN = 1e-20;

/** "impossible": there is no room, or a score too small; "nothing": no document can match. */
export type AddedLists = "ready" | "impossible" | "nothing";

/**
 * Lays out a plan's lists for a search.
 *
 * @param scored what its words and nested leaves match, by order; null: nothing
 */
export function addLists(
  kernels: SegmentKernels,
  plan: QueryPlan,
  context: SegmentContext,
  scored: readonly (ScoredDocs | null)[],
): AddedLists {
  const { groups } = plan;
  const { lists } = kernels;
  lists.begin();
  let nextScored = 0;
  let bitsets = 0;
  for (let group = 0; group < groups.length; group++) {
    const { leaves, required } = groups[group]!;
    const listsBefore = lists.count;
    for (let i = 0; i < leaves.length; i++) {
      const leaf = leaves[i]!;
      let isTaken: boolean;
      if (leaf.kind === "term") isTaken = addTerm(kernels, leaf, group);
      else if (leaf.kind === "constant") isTaken = addConstant(kernels, context, leaf, group, bitsets++);
      else {
        const docs = scored[nextScored++]!;
        isTaken = docs === null || lists.addScored(docs, group);
      }
      if (!isTaken) return "impossible";
    }
    if (required && lists.count === listsBefore) return "nothing";
  }
  if (lists.count === 0 && plan.constantScore === null) return "nothing";
  kernels.prepare();
  return "ready";
}

function addTerm(
  { lists }: SegmentKernels,
  { terms, place, weight, similarity }: TermLeaf,
  group: number,
): boolean {
  return weight > WEIGHT_MIN && lists.add(terms.image!, place, weight, similarity, group);
}

function addConstant(
  kernels: SegmentKernels,
  context: SegmentContext,
  leaf: ConstantLeaf,
  group: number,
  bitset: number,
): boolean {
  const { score } = leaf;
  if (!(score > WEIGHT_MIN)) return false;
  const bits = kernels.bitsets.more(bitset);
  markAccepted(leaf, context, kernels, bits);
  const docFreq = kernels.functions.countBits(bits, kernels.layout.bitsetBytes);
  return kernels.lists.addMarks({ bits, docFreq, score, group });
}
