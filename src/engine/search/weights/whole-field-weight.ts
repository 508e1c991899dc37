import { DocListEvaluator } from "../evaluators/document-evaluators.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { ConstantScoreEvaluator } from "../evaluators/rescoring-evaluators.js";
import type { SegmentContext } from "../plan/matcher.js";
import { EMPTY_PLAN, evaluatedPlan, type QueryPlan } from "../plan/query-plan.js";
import type { Explanation } from "../search-types.js";
import { NODE_SCORE_MAX } from "../similarity/bm25-similarity.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import { eachMatch } from "./explain-matches.js";
import type { FuzzyWeight } from "./fuzzy-weight.js";
import { Weight } from "./weight.js";

/** What a field counts that holds nothing but the word, in parts of its idf. */
const WHOLE_WORD_WEIGHT = 4;
/** Norm code of a field of one token. */
const ONE_TOKEN = 1;
/** Blocks of postings between two looks at the clock. */
const BLOCKS_PER_CHECK = 1024;

/** Documents of which one field holds a word or one of its nearest variants, and nothing else; each scores the same. */
export class WholeFieldWeight extends Weight {
  readonly #word: FuzzyWeight;
  readonly #field: string;
  /** f32. */
  readonly #score: number;
  /** By segment: its plan and its evaluator both ask for them. */
  readonly #known: Map<SegmentStatistics, Uint32Array> = new Map();

  constructor(word: FuzzyWeight, { field, boost }: FuzzyWeight["fields"][number]) {
    super();
    this.#word = word;
    this.#field = field;
    this.#score = Math.fround(Math.min(WHOLE_WORD_WEIGHT * word.inverseDocFreq * boost, NODE_SCORE_MAX));
  }

  override plan(context: SegmentContext): QueryPlan {
    return this.#docsIn(context).length === 0 ? EMPTY_PLAN : evaluatedPlan(this);
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const docs = this.#docsIn(context);
    if (docs.length === 0 || !(this.#score > 0)) return null;
    return new ConstantScoreEvaluator(new DocListEvaluator(docs), this.#score);
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const description = `field '${this.#field}' holds nothing but the word`;
    return eachMatch(this.evaluator(context), docIds, context.pool, (score) => ({
      value: score,
      description,
      details: [],
    }));
  }

  #docsIn(context: SegmentContext): Uint32Array {
    const { statistics } = context;
    let docs = this.#known.get(statistics);
    if (docs === undefined) this.#known.set(statistics, (docs = this.#findDocs(context)));
    return docs;
  }

  #findDocs(context: SegmentContext): Uint32Array {
    const terms = context.segment.terms(this.#field);
    if (terms === null) return NO_DOCS;
    const { norms } = terms;
    const ordinals = [...this.#word.wholeTerms(context, this.#field)];
    const found = new Uint32Array(ordinals.reduce((sum, ordinal) => sum + terms.docFreq(ordinal), 0));
    let count = 0;
    for (const ordinal of ordinals) {
      const cursor = terms.postings(ordinal);
      for (let block = 0; block < cursor.blockCount; block++) {
        if ((block & (BLOCKS_PER_CHECK - 1)) === 0) context.pool.interrupt.check();
        cursor.loadBlock(block);
        const { docs, length } = cursor;
        for (let i = 0; i < length; i++) if (norms[docs[i]!] === ONE_TOKEN) found[count++] = docs[i]!;
      }
    }
    const docs = found.subarray(0, count);
    // A document is in the lists of a word and of its stem.
    return ordinals.length < 2 ? docs : docs.sort().filter((docId, i) => docId !== docs[i - 1]);
  }
}

/** What all whole fields of a word score together at most. @param boosts of the fields together */
export function wholeFieldsBound(word: FuzzyWeight, boosts: number): number {
  return WHOLE_WORD_WEIGHT * word.inverseDocFreq * boosts;
}

const NO_DOCS = new Uint32Array(0);
