import type { NumberRange } from "../../kernels/listed-docs.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { markEvaluated } from "../plan/mark-evaluated.js";
import type { Matcher, SegmentContext } from "../plan/matcher.js";
import { evaluatedPlan, type QueryPlan } from "../plan/query-plan.js";
import type { Explanation } from "../search-types.js";
import { NODE_SCORE_MAX } from "../similarity/bm25-similarity.js";

/**
 * A query node bound to a collection's statistics. What it asks of a segment is its plan; what no plan says, its
 * evaluator finds window by window, which gives the same documents and scores to the last bit.
 */
export abstract class Weight implements Matcher {
  abstract evaluator(context: SegmentContext): Evaluator | null;

  /**
   * Why documents score what they score, by one evaluation of all of them: most of what one document takes is to find
   * the lists of all words.
   *
   * @param docIds ascending, without the deleted
   * @returns one for each of them; null: it doesn't match
   * @throws FindlingError `search_timeout`
   */
  abstract explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[];

  plan(_context: SegmentContext): QueryPlan {
    return evaluatedPlan(this);
  }

  mark(context: SegmentContext, kernels: SegmentKernels, target: number): void {
    markEvaluated(this.evaluator(context), context, kernels, target);
  }

  numbers(_context: SegmentContext): NumberRange | null {
    return null;
  }

  /** Whether any live document of the collection may match, as far as statistics tell. */
  mayOccur(): boolean {
    return true;
  }

  /** What no document scores more than, in whatever snapshot. */
  scoreBound(): number {
    return NODE_SCORE_MAX;
  }
}
