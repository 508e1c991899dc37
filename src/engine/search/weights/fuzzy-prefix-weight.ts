import { distanceOfEdits, editsOf, FOLDED } from "../../../analysis/word-distance.js";
import { foldedBeginnings, withFolded } from "../automaton/folded-terms.js";
import { expandPrefix } from "../automaton/prefix-expansion.js";
import { type LevelOfVariants, VariantsEvaluator } from "../evaluators/variants-evaluator.js";
import type { SegmentContext } from "../plan/matcher.js";
import type { FuzzyPrefixQuery } from "../query.js";
import type { Explanation } from "../search-types.js";
import { type Bm25Similarity, NODE_SCORE_MAX } from "../similarity/bm25-similarity.js";
import { eachMatch } from "./explain-matches.js";
import type { QueryBinding } from "./query-binding.js";
import { Weight } from "./weight.js";

const DISTANCES = [0, FOLDED, ...[1, 2].map(distanceOfEdits)];

/** What a document scores less whose term begins so but for what folding takes off: half of what an edit costs. */
const FOLDED_FACTOR = 0.75;

/** Documents with a term that begins within some edits of a prefix. */
export class FuzzyPrefixWeight extends Weight {
  readonly #query: FuzzyPrefixQuery;
  readonly #similarities: readonly Bm25Similarity[];

  constructor(query: FuzzyPrefixQuery, binding: QueryBinding) {
    super();
    this.#query = query;
    this.#similarities = query.fields.map(({ field }) => binding.textField(field).similarity);
  }

  evaluator({ segment, pool }: SegmentContext): VariantsEvaluator | null {
    const { prefix, maxDistance } = this.#query;
    const levels = this.#query.fields.flatMap(({ field, boost }, i): LevelOfVariants[] => {
      const terms = segment.terms(field);
      if (terms === null) return [];
      const folded = maxDistance > 0 ? foldedBeginnings(terms, prefix, maxDistance, pool.interrupt) : [];
      const { ordinals, distances } = withFolded(
        expandPrefix(terms, prefix, maxDistance, pool.interrupt),
        folded,
      );
      const common = { terms, lengthNorms: this.#similarities[i]!.lengthNorms, weight: Math.fround(boost) };
      return DISTANCES.flatMap((distance) => {
        const own = ordinals.filter((_, at) => distances[at] === distance);
        return own.length === 0 ? [] : [{ ...common, distance, steps: distance, ordinals: own }];
      });
    });
    if (levels.length === 0) return null;
    levels.sort((a, b) => a.distance - b.distance);
    return new VariantsEvaluator({ levels, score: halvedByEdits, segment, pool });
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const { prefix, maxDistance } = this.#query;
    const description = `words that begin within ${maxDistance} edits of '${prefix}'`;
    const evaluator = this.evaluator(context);
    return eachMatch(evaluator, docIds, context.pool, (score, _place, docId) => ({
      value: score,
      description,
      details: [
        {
          value: editsOf(evaluator!.distanceOf(docId)),
          description:
            "edits to the nearest of them; each halves the score, and other accents alone take a quarter off",
          details: [],
        },
      ],
    }));
  }
}

function halvedByEdits(distance: number, termScore: number): number {
  const factor = distance === FOLDED ? FOLDED_FACTOR : 0.5 ** editsOf(distance);
  return Math.fround(Math.min(termScore, NODE_SCORE_MAX) * factor);
}
