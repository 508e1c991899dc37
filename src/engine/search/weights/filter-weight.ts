import type { JoinedMarks } from "../../kernels/joined-memory.js";
import type { NumberRange } from "../../kernels/listed-docs.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import type { JoinedLists } from "../ranking/joined-lists.js";
import { type Markable, Marked } from "../ranking/joined-marks.js";
import type { RankingPlan } from "../ranking/ranking-plan.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { Explanation, RankedResult } from "../search-types.js";
import { eachMatch } from "./explain-matches.js";
import type { MarkDocuments } from "./matcher.js";
import type { SegmentContext, Weight } from "./weight.js";

/** A node that only decides; each match scores 1 (contract 5.7). */
export class FilterWeight implements Weight, Markable {
  readonly #description: string;
  readonly #makeEvaluator: (context: SegmentContext) => Evaluator | null;
  readonly mark: MarkDocuments | undefined;
  readonly numbers: ((context: SegmentContext) => NumberRange | null) | undefined;
  readonly docs: ((context: SegmentContext) => Uint32Array | null) | undefined;
  readonly #find: (() => Marked) | undefined;
  #marked: Marked | null = null;

  /**
   * @param makeEvaluator its matches score 1
   * @param mark marks the same documents
   * @param numbers tells them by their numbers
   * @param docs lists them
   * @param find what is known of it from search to search; absent: nothing is to be
   */
  constructor(
    description: string,
    makeEvaluator: (context: SegmentContext) => Evaluator | null,
    mark?: MarkDocuments,
    numbers?: (context: SegmentContext) => NumberRange | null,
    docs?: (context: SegmentContext) => Uint32Array | null,
    find?: () => Marked,
  ) {
    this.#description = description;
    this.#makeEvaluator = makeEvaluator;
    this.mark = mark;
    this.numbers = numbers;
    this.docs = docs;
    this.#find = find;
  }

  get marked(): Marked {
    this.#marked ??= this.#find?.() ?? new Marked();
    return this.#marked;
  }

  /** Its documents of all segments; null where they aren't joined. @throws FindlingError `search_timeout` */
  marksIn(joined: JoinedLists, interrupt: SearchInterrupt): JoinedMarks | null {
    return this.#find === undefined ? null : joined.marksOf(this, interrupt);
  }

  rankedTogether(
    joined: JoinedLists,
    limit: number,
    withCount: boolean,
    interrupt: SearchInterrupt,
  ): RankedResult | null {
    const marks = this.marksIn(joined, interrupt);
    return marks === null ? null : joined.firstOf(marks, 1, limit, withCount);
  }

  ranking(): RankingPlan {
    return { groups: [], constantScore: 1, phrase: null, filters: [this], exclusions: [] };
  }

  evaluator(context: SegmentContext): Evaluator | null {
    return this.#makeEvaluator(context);
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const description = `${this.#description}: constant`;
    return eachMatch(this.evaluator(context), docIds, context.pool, (score) => ({
      value: score,
      description,
      details: [],
    }));
  }
}
