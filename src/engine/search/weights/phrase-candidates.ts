import { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { OrdinalRange } from "../automaton/prefix-range.js";
import { docsEvaluator } from "../evaluators/document-evaluators.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import type { SegmentContext } from "../plan/matcher.js";
import type { FoundTerm } from "../statistics/found-term.js";

/** The kernels' bitsets that this uses: nobody else does, as phrases are parts of all sorts of queries. */
const ALL = 6;
const ONE = 7;

/**
 * Documents that hold each of a phrase's terms and one of a range of terms, deleted ones included: mostly a small part of
 * those that hold its terms. Null where there are no kernels, or no room to keep the bits.
 *
 * @param found terms of one field
 * @throws FindlingError `search_timeout`
 */
export function phraseCandidates(
  { segment, pool }: SegmentContext,
  found: readonly FoundTerm[],
  { first, end }: OrdinalRange,
): Evaluator | null {
  const { image } = segment;
  pool.room.startSegment(segment);
  const kernels = image === null || segment.maxDoc / 8 > pool.room.share ? null : SegmentKernels.over(image);
  if (kernels === null) return null;
  const { bitsets, functions, layout, termBits } = kernels;
  const { bitsetBytes } = layout;
  const { terms } = found[0]!;
  const all = bitsets.addressOf(ALL);
  const one = bitsets.addressOf(ONE);
  kernels.interruptBy(pool.interrupt);
  functions.clearBits(all, bitsetBytes);
  termBits.orRange(all, terms.image!, first, end);
  for (const { place } of new Set(found)) {
    functions.clearBits(one, bitsetBytes);
    termBits.or(one, terms.image!, [place]);
    functions.andBits(all, one, bitsetBytes);
  }
  const docs = bitsets.at(all).slice();
  const evaluator = docsEvaluator(docs);
  // As a list where that is smaller.
  pool.room.take(Math.min(docs.byteLength, evaluator.cost * Uint32Array.BYTES_PER_ELEMENT));
  return evaluator;
}
