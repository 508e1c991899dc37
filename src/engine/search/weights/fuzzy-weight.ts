import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { WordLevel } from "../../kernels/word-table.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import { WINDOW_SIZE } from "../evaluators/evaluator.js";
import { FuzzyEvaluator } from "../evaluators/fuzzy-evaluator.js";
import { PostingWindow } from "../evaluators/posting-window.js";
import type { SegmentContext } from "../plan/matcher.js";
import { EMPTY_PLAN, evaluatedPlan, planOfLeaf, type QueryPlan } from "../plan/query-plan.js";
import type { FuzzyQuery } from "../query.js";
import type { Explanation } from "../search-types.js";
import {
  type Bm25Similarity,
  inverseDocumentFrequency,
  NODE_SCORE_MAX,
  SATURATION_LIMIT,
} from "../similarity/bm25-similarity.js";
import { eachMatch } from "./explain-matches.js";
import type { QueryBinding } from "./query-binding.js";
import { Weight } from "./weight.js";

interface FuzzyField {
  readonly name: string;
  readonly boost: number;
  readonly similarity: Bm25Similarity;
}

/** A word's variants at one distance in one field of a segment. */
interface VariantLevel {
  readonly distance: number;
  readonly field: FuzzyField;
  readonly terms: FieldTerms;
  readonly ordinals: readonly number[];
}

/** Documents that hold a word or a variant of it; scores as docs/adr/0003-fuzzy-scoring.md says. */
export class FuzzyWeight extends Weight {
  readonly #query: FuzzyQuery;
  readonly #fields: readonly FuzzyField[];
  /** Smallest distance of a variant in any live document; the query's maximum + 1 if there is none. */
  readonly #nearestDistance: number;
  readonly #inverseDocFreq: number;

  /** @throws FindlingError as `QueryBinding.textField`; `search_timeout` */
  constructor(query: FuzzyQuery, binding: QueryBinding) {
    super();
    const { term, maxDistance, fields, statisticsFields } = query;
    const { statistics, interrupt } = binding;
    this.#query = query;
    this.#fields = fields.map(({ field, boost }) => {
      return { name: field, boost, similarity: binding.textField(field).similarity };
    });
    const names = statisticsFields ?? fields.map(({ field }) => field);
    let nearest = maxDistance + 1;
    for (const name of names) {
      nearest = Math.min(nearest, statistics.variantDistance(name, term, maxDistance, interrupt));
    }
    let docFreq = 0;
    let docCount = 0;
    for (const name of names) {
      const own = statistics.variantDocFreq(name, term, maxDistance, nearest, interrupt);
      docFreq = Math.max(docFreq, own);
      docCount = Math.max(docCount, statistics.fieldStatistics(name).docCount);
    }
    this.#nearestDistance = nearest;
    this.#inverseDocFreq = inverseDocumentFrequency(docFreq, docCount);
  }

  evaluator(context: SegmentContext): FuzzyEvaluator | null {
    const variants = this.#levels(context).map(({ distance, terms, ordinals, field }) => ({
      distance,
      postings: ordinals.map((ordinal) => new PostingWindow(terms.postings(ordinal), context.pool)),
      norms: terms.norms,
      lengthNorms: field.similarity.lengthNorms,
      boost: field.boost,
    }));
    if (variants.length === 0) return null;
    return new FuzzyEvaluator({
      variants,
      nearestDistance: this.#nearestDistance,
      inverseDocFreq: this.#inverseDocFreq,
      pool: context.pool,
    });
  }

  override plan(context: SegmentContext): QueryPlan {
    const found = this.#levels(context);
    if (found.length === 0) return EMPTY_PLAN;
    const levels: WordLevel[] = [];
    for (let i = 0; i < found.length; i++) {
      const { terms, field, distance, ordinals } = found[i]!;
      const weight = Math.min(Math.fround(field.boost * SATURATION_LIMIT), NODE_SCORE_MAX);
      if (!(weight > 0)) return evaluatedPlan(this);
      levels.push({
        image: terms.image!,
        weight,
        lengthNorms: field.similarity.lengthNorms,
        inverseDocFreq: this.#inverseDocFreq,
        steps: distance - this.#nearestDistance,
        places: ordinals.map((ordinal) => terms.placeOf(ordinal)),
      });
    }
    return planOfLeaf({ kind: "word", levels, matcher: this });
  }

  override mark(context: SegmentContext, kernels: SegmentKernels, target: number): void {
    for (const { terms, ordinals } of this.#levels(context)) {
      const places = ordinals.map((ordinal) => terms.placeOf(ordinal));
      kernels.termBits.or(target, terms.image!, places);
    }
  }

  /**
   * By distance from the nearest of the collection on, then in the query's order of fields: those that there are in the
   * segment. Nearer ones are in deleted documents only.
   */
  #levels({ segment, statistics, pool }: SegmentContext): VariantLevel[] {
    const { term, maxDistance } = this.#query;
    const levels: VariantLevel[] = [];
    for (let distance = this.#nearestDistance; distance <= maxDistance; distance++) {
      for (const field of this.#fields) {
        const terms = segment.terms(field.name);
        const expansion = statistics.expansion(field.name, term, maxDistance, pool.interrupt);
        if (terms === null || expansion === null) continue;
        const ordinals: number[] = [];
        for (let i = 0; i < expansion.ordinals.length; i++) {
          if (expansion.distances[i] === distance) ordinals.push(expansion.ordinals[i]!);
        }
        if (ordinals.length > 0) levels.push({ distance, field, terms, ordinals });
      }
    }
    return levels;
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const { term, maxDistance } = this.#query;
    const description = `fuzzy word '${term}' within ${maxDistance} edits`;
    // Of the collection, and so the same for all documents.
    const details: readonly Explanation[] = [
      { value: this.#inverseDocFreq, description: "idf of the word's nearest variants", details: [] },
      {
        value: this.#nearestDistance,
        description: "edits to the nearest variant in the collection",
        details: [],
      },
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
