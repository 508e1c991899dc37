import type { Evaluator } from "../evaluators/evaluator.js";
import { type EvaluatedReading, WordsEvaluator } from "../evaluators/words-evaluator.js";
import type { SegmentContext } from "../plan/matcher.js";
import {
  type CoverReading,
  EMPTY_PLAN,
  type NestedLeaf,
  oneLeafOf,
  type PlanLeaf,
  type QueryPlan,
  type WordLeaf,
} from "../plan/query-plan.js";
import type { WordsQuery, WordsReading } from "../query.js";
import type { Explanation } from "../search-types.js";
import { NODE_SCORE_MAX } from "../similarity/bm25-similarity.js";
import { FOLDED_STEPS } from "../similarity/fuzzy-scoring.js";
import { FOLDED_SLIP, NOT_HELD, SLIP, TIERS_MAX, tierScore, WordCover } from "../similarity/word-cover.js";
import { eachMatch, scoresOf } from "./explain-matches.js";
import { FuzzyWeight } from "./fuzzy-weight.js";
import { type NearWords, nearWords } from "./near-words.js";
import type { QueryBinding } from "./query-binding.js";
import { Weight } from "./weight.js";
import { WholeFieldWeight, wholeFieldsBound } from "./whole-field-weight.js";

interface BoundReading {
  readonly weight: Weight;
  readonly scores: boolean;
  readonly covers: number;
  readonly slips: number;
  slipsOf(score: number): number;
}

/** A greater one could make scores that are no finite ones. */
const UNIT_MAX = NODE_SCORE_MAX / (TIERS_MAX + 2);

/** The words of a short query in all their readings; scores as docs/adr/0038-words-in-tiers.md says. */
export class WordsWeight extends Weight {
  readonly #readings: BoundReading[];
  readonly #cover: WordCover;
  /** What all readings score together at most, f32. */
  readonly #unit: number;
  readonly #needsAll: boolean;
  readonly #nearWords: NearWords;

  /** @param allWeights of the readings' queries */
  constructor(query: WordsQuery, allWeights: readonly Weight[], binding: QueryBinding) {
    super();
    // Most words that two might make together occur nowhere.
    const mayMatter = query.readings.map(
      ({ slips = 0, counts }, i) => counts !== "nearness" && (slips === 0 || allWeights[i]!.mayOccur()),
    );
    const readings = query.readings.filter((_, i) => mayMatter[i]);
    const weights = allWeights.filter((_, i) => mayMatter[i]);
    const needsAll = query.needsAll === true;
    const covering = readings.filter(({ counts }) => counts !== "score");
    this.#readings = readings.map((reading, i) => ({
      weight: weights[i]!,
      scores: reading.counts !== "cover",
      covers: covering.indexOf(reading),
      slips: SLIP * (reading.slips ?? 0),
      slipsOf: slipsOf(reading, weights[i]!, needsAll),
    }));
    const alone = loneWord(query.readings, allWeights);
    for (const field of alone?.fields ?? [])
      this.#readings.push({
        weight: new WholeFieldWeight(alone!, field),
        scores: true,
        covers: -1,
        slips: 0,
        slipsOf: () => 0,
      });
    let bound = alone === null ? 0 : wholeFieldsBound(alone, query.boosts?.sum ?? sumOfBoosts(alone));
    readings.forEach(({ counts }, i) => {
      const weight = weights[i]!;
      if (counts === "cover") return;
      bound += weight instanceof FuzzyWeight ? weight.scoreBound(query.boosts?.sum) : weight.scoreBound();
    });
    this.#nearWords = nearWords(query, allWeights, binding);
    bound += this.#nearWords.bound;
    this.#unit = Math.min(Math.fround(bound * (1 + 1e-6)), UNIT_MAX);
    this.#needsAll = needsAll;
    this.#cover = new WordCover(
      Math.max(0, ...query.readings.map(({ end }) => end)),
      covering,
      covering.map((reading) => weights[readings.indexOf(reading)]!.mayOccur()),
      needsAll,
      this.#nearWords.bound > 0,
    );
  }

  override scoreBound(): number {
    return this.#unit * (TIERS_MAX + 2);
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const readings: EvaluatedReading[] = this.#readings.map(({ weight, scores, covers, slipsOf: slips }) => ({
      evaluator: weight.evaluator(context),
      scores,
      covers,
      slipsOf: slips,
    }));
    if (!readings.some(({ evaluator, scores }) => scores && evaluator !== null)) return null;
    return new WordsEvaluator(
      readings,
      this.#cover,
      this.#unit,
      this.#needsAll,
      this.#nearWords.in(context),
      context.pool,
    );
  }

  override plan(context: SegmentContext): QueryPlan {
    const leaves: (WordLeaf | NestedLeaf)[] = [];
    const covering: CoverReading[] = [];
    for (const { weight, scores, covers, slips, slipsOf: slipsOfScore } of this.#readings) {
      if (!scores && !this.#cover.decides) continue;
      const leaf = oneLeafOf(weight.plan(context), weight);
      if (scores && leaf !== null) leaves.push(leaf);
      if (covers >= 0) covering[covers] = { leaf, slips, slipsOf: slipsOfScore };
    }
    if (leaves.length === 0) return EMPTY_PLAN;
    const all: PlanLeaf[] = this.#needsAll ? [] : [...leaves];
    if (this.#cover.decides) {
      all.push({
        kind: "cover",
        cover: this.#cover,
        unit: this.#unit,
        areTiersApart: this.#unit < UNIT_MAX,
        beside: all.length,
        readings: covering,
        added: this.#needsAll ? leaves : null,
        nearness: this.#nearWords.in(context),
      });
    }
    return { ...EMPTY_PLAN, groups: [{ leaves: all, required: false }] };
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const { pool } = context;
    const details = this.#readings.map(({ weight, scores }) =>
      scores ? weight.explain(context, docIds) : [],
    );
    const covering = this.#readings
      .filter(({ covers }) => covers >= 0)
      .map(({ weight, slipsOf: slips }) => {
        return { slips, scores: scoresOf(weight.evaluator(context), docIds, pool) };
      });
    const near = new Float32Array(docIds.length);
    this.#nearWords.in(context)?.addTo(docIds, near);
    return eachMatch(this.evaluator(context), docIds, pool, (score, place) => {
      const parts = details.map((each) => each[place] ?? null).filter((detail) => detail !== null);
      const slips = Uint8Array.from(covering, ({ slips: slipsOfScore, scores }) => {
        const own = scores[place]!;
        return own === null ? NOT_HELD : slipsOfScore(own);
      });
      const fewest = this.#cover.decides ? this.#cover.slipsOf(slips) : -1;
      if (fewest >= 0) parts.push(this.#explainTier(fewest));
      if (fewest === 0 && near[place]! > 0) {
        parts.push({
          value: near[place]!,
          description: "how near and in which order the words stand",
          details: [],
        });
      }
      return {
        value: score,
        description: "sum of the words, and of the tier of those that hold all",
        details: parts,
      };
    });
  }

  #explainTier(slips: number): Explanation {
    return {
      value: tierScore(this.#unit, slips),
      description: `holds all words with ${Math.floor(slips / SLIP)} slips${slips % SLIP === 0 ? "" : ", and but for accents or letters that folding makes one"}`,
      details: [
        {
          value: this.#unit,
          description: "what all words score together at most, once for each tier",
          details: [],
        },
      ],
    };
  }
}

/**
 * The word of a query of one, of which a field counts that is that word (docs/adr/0038-words-in-tiers.md); between several,
 * nearness tells it.
 */
function loneWord(readings: readonly WordsReading[], weights: readonly Weight[]): FuzzyWeight | null {
  const [only, second] = weights.filter((_, i) => readings[i]!.position !== undefined);
  return second === undefined && only instanceof FuzzyWeight && only.hasVariants ? only : null;
}

function sumOfBoosts({ fields }: FuzzyWeight): number {
  return fields.reduce((sum, { boost }) => sum + boost, 0);
}

/**
 * Only a word that hardly any document holds, one of five thousand, may itself be a slip (its idf, ln 5,000): of all others
 * the nearest variants alone are the word, and documents with what is merely like it don't hold it (docs/relevance.md).
 * Where all words are needed, documents with variants are found, and come last.
 */
const SLIP_IDF_MIN = 8.5;
/** Fewer documents tell too little of how frequent a word is. */
const TELLING_DOC_COUNT = 1_000;

function slipsOf(reading: WordsReading, weight: Weight, needsAll: boolean): (score: number) => number {
  const slips = SLIP * (reading.slips ?? 0);
  if (!(weight instanceof FuzzyWeight)) return () => slips;
  const isTold = weight.docCount >= TELLING_DOC_COUNT && weight.inverseDocFreq < SLIP_IDF_MIN;
  const maySlip = needsAll || !isTold;
  return (score) => {
    if (weight.isRow(score)) return slips + SLIP;
    const steps = weight.stepsOf(score);
    if (steps === FOLDED_STEPS) return slips + FOLDED_SLIP;
    if (steps > 0 && !maySlip) return NOT_HELD;
    return slips + SLIP * (steps + (weight.isBehindRows(score) ? 1 : 0));
  };
}
