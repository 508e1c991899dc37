import type { DocId } from "../../schema/document.js";
import { evaluateWindows } from "../evaluators/evaluate-windows.js";
import { WINDOW_SIZE } from "../evaluators/evaluator.js";
import { FuzzyEvaluator } from "../evaluators/fuzzy-evaluator.js";
import { PostingWindow } from "../evaluators/posting-window.js";
import { WindowPool } from "../evaluators/window-pool.js";
import type { FuzzyQuery } from "../query.js";
import { type KernelRanking, NO_HITS } from "../ranking/plan-run.js";
import { rankVariants } from "../ranking/rank-variants.js";
import { EMPTY_PLAN, planOfLeaf, type RankingPlan, type RankingWordField } from "../ranking/ranking-plan.js";
import type { RankingRequest } from "../ranking/ranking-request.js";
import { type VariantLevel, VariantScores } from "../ranking/variant-scores.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { Explanation } from "../search-types.js";
import { type Bm25Similarity, NODE_SCORE_MAX, SATURATION_LIMIT } from "../similarity/bm25-similarity.js";
import { fuzzyScore } from "../similarity/fuzzy-scoring.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import type { BoundWord } from "./bound-word.js";
import { eachMatch } from "./explain-matches.js";
import type { QueryBinding } from "./query-binding.js";
import type { SegmentContext, Weight } from "./weight.js";

/** Lists that are looked into for single documents before all documents are scored at once. */
const SINGLE_LOOKUPS_MAX = 4096;

/** A field of the query that has variants in the segment. */
interface FoundField extends RankingWordField {
  readonly boost: number;
  /** See `FieldVariants`. */
  readonly ordinals: readonly (readonly number[])[];
}

interface FuzzyField {
  readonly name: string;
  readonly boost: number;
  readonly similarity: Bm25Similarity;
}

/** Documents that hold a word or a variant of it; scores as docs/adr/0003-fuzzy-scoring.md says. */
export class FuzzyWeight implements Weight {
  readonly #query: FuzzyQuery;
  readonly #fields: readonly FuzzyField[];
  readonly #word: BoundWord;
  /** What documents that hold none of the nearest variants score at most. */
  readonly #fartherScoreMax: number;

  constructor(query: FuzzyQuery, binding: QueryBinding) {
    this.#query = query;
    this.#fields = query.fields.map(({ field, boost }) => {
      return { name: field, boost, similarity: binding.textField(field).similarity };
    });
    this.#word = binding.word(query);
    this.#fartherScoreMax = fuzzyScore(this.#word.inverseDocFreq, 1, Number.MAX_VALUE);
  }

  evaluator(context: SegmentContext): FuzzyEvaluator | null {
    return this.#evaluatorOf(this.#variants(context), context.pool);
  }

  #evaluatorOf(fields: readonly FoundField[], pool: WindowPool): FuzzyEvaluator | null {
    const variants = this.#levels(fields, 0).map(({ distance, terms, ordinals, similarity, boost }) => ({
      distance,
      postings: ordinals.map((ordinal) => new PostingWindow(terms.postings(ordinal), pool)),
      norms: terms.norms,
      lengthNorms: similarity.lengthNorms,
      boost,
    }));
    if (variants.length === 0) return null;
    const { nearestDistance, inverseDocFreq } = this.#word;
    return new FuzzyEvaluator({ variants, nearestDistance, inverseDocFreq, pool });
  }

  ranking(context: SegmentContext): RankingPlan {
    const fields = this.#variants(context);
    if (fields.length === 0) return EMPTY_PLAN;
    return planOfLeaf({
      kind: "word",
      inverseDocFreq: this.#word.inverseDocFreq,
      fields,
      fartherScoreMax: this.#fartherScoreMax,
      fartherScore: this.#fartherScore(fields, context.segment.maxDoc),
    });
  }

  /** What kernels give without a plan; null where they can't. */
  ranked(context: SegmentContext, request: RankingRequest): KernelRanking | null {
    const fields = this.#variants(context);
    if (fields.length === 0) return NO_HITS;
    const { inverseDocFreq } = this.#word;
    return rankVariants({ inverseDocFreq, fields, fartherScoreMax: this.#fartherScoreMax }, context, request);
  }

  /** By field, those that have any in the segment. */
  #variants({ statistics, pool }: SegmentContext): FoundField[] {
    const fields: FoundField[] = [];
    for (let i = 0; i < this.#fields.length; i++) {
      const { name, boost, similarity } = this.#fields[i]!;
      const variants = this.#word.in(statistics, name, pool.interrupt);
      if (variants === null) continue;
      const { terms, nearest, farther, ordinals } = variants;
      const weight = Math.min(Math.fround(boost * SATURATION_LIMIT), NODE_SCORE_MAX);
      fields.push({ terms, weight, similarity, nearest, farther, boost, ordinals });
    }
    return fields;
  }

  /** What all farther variants' documents score less than, once k documents hold a nearest one. */
  scoreFloor(k: number, segments: readonly SegmentStatistics[], interrupt: SearchInterrupt): number {
    const { name } = this.#fields[0]!;
    let docs = 0;
    for (let segment = 0; segment < segments.length && docs < k; segment++) {
      docs += this.#word.in(segments[segment]!, name, interrupt)?.nearestDocs ?? 0;
    }
    return docs < k ? 0 : this.#fartherScoreMax;
  }

  /**
   * What single documents score, one by one while few are asked for. Where many are, since too few
   * documents hold a nearest variant, the evaluator scores all of them at once. Variants aren't looked for
   * any more: a kernel waits for the scores, which may not be interrupted.
   */
  #fartherScore(fields: readonly FoundField[], maxDoc: number): (docId: DocId) => number {
    let single: VariantScores | null = null;
    let all: Float32Array | null = null;
    let lookups = 0;
    return (docId) => {
      if (all !== null) return all[docId]!;
      single ??= new VariantScores(
        this.#levels(fields, 1),
        this.#word.inverseDocFreq,
        this.#word.nearestDistance,
      );
      lookups += single.variantCount;
      if (lookups > SINGLE_LOOKUPS_MAX) {
        all = this.#allScores(fields, maxDoc);
        return all[docId]!;
      }
      return single.scoreOf(docId);
    };
  }

  #allScores(fields: readonly FoundField[], maxDoc: number): Float32Array {
    const all = new Float32Array(maxDoc);
    // Under no interrupt, as a kernel waits for the scores, which mustn't be left half-way.
    const pool = new WindowPool();
    const evaluator = this.#evaluatorOf(fields, pool);
    if (evaluator === null) return all;
    evaluateWindows(evaluator, { maxDoc, liveDocs: null }, pool, true, {
      collect(windowStart, _matches, scores) {
        all.set(scores!.subarray(0, Math.min(scores!.length, maxDoc - windowStart)), windowStart);
      },
    });
    return all;
  }

  /** By distance, from some steps beyond the nearest on, by field: the variants. */
  #levels(fields: readonly FoundField[], stepsMin: number): VariantLevel[] {
    const { nearestDistance } = this.#word;
    const levels: VariantLevel[] = [];
    for (let steps = stepsMin; nearestDistance + steps <= this.#query.maxDistance; steps++) {
      for (const { terms, ordinals: bySteps, similarity, boost } of fields) {
        const ordinals = bySteps[steps]!;
        if (ordinals.length === 0) continue;
        levels.push({ distance: nearestDistance + steps, terms, ordinals, similarity, boost });
      }
    }
    return levels;
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const { term, maxDistance } = this.#query;
    const { inverseDocFreq, nearestDistance } = this.#word;
    const description = `fuzzy word '${term}' within ${maxDistance} edits`;
    // Of the collection, and so the same for all documents.
    const details: readonly Explanation[] = [
      { value: inverseDocFreq, description: "idf of the word's nearest variants", details: [] },
      { value: nearestDistance, description: "edits to the nearest variant in the collection", details: [] },
    ];
    const evaluator = this.evaluator(context);
    const distances = evaluator?.keepDistances();
    return eachMatch(evaluator, docIds, context.pool, (score, _place, docId) => ({
      value: score,
      description,
      details: [
        ...details,
        {
          value: distances![docId % WINDOW_SIZE]!,
          description: "edits to this document's nearest variant",
          details: [],
        },
      ],
    }));
  }
}
