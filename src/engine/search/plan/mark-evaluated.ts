import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import { evaluateWindows } from "../evaluators/evaluate-windows.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import type { SegmentContext } from "./matcher.js";

/**
 * `Matcher.mark` of what an evaluator finds.
 *
 * @param evaluator new; null if nothing can match
 * @param target address of bits
 */
export function markEvaluated(
  evaluator: Evaluator | null,
  { segment, pool }: SegmentContext,
  kernels: SegmentKernels,
  target: number,
): void {
  if (evaluator === null) return;
  const bits = kernels.bitsets.at(target);
  evaluateWindows(evaluator, { maxDoc: segment.maxDoc, liveDocs: null }, pool, false, {
    collect(windowStart, matches) {
      const first = windowStart >>> 5;
      const words = Math.min(matches.length, bits.length - first);
      for (let word = 0; word < words; word++) bits[first + word]! |= matches[word]!;
    },
  });
}
