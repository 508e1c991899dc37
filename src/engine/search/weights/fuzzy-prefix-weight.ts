import { expandPrefix } from "../automaton/prefix-expansion.js";
import { FuzzyPrefixEvaluator, type FuzzyPrefixField } from "../evaluators/fuzzy-prefix-evaluator.js";
import type { SegmentContext } from "../plan/matcher.js";
import type { FuzzyPrefixQuery } from "../query.js";
import type { Explanation } from "../search-types.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import { eachMatch } from "./explain-matches.js";
import type { QueryBinding } from "./query-binding.js";
import { Weight } from "./weight.js";

/** Documents with a term that begins within some edits of a prefix. */
export class FuzzyPrefixWeight extends Weight {
  readonly #query: FuzzyPrefixQuery;
  readonly #similarities: readonly Bm25Similarity[];

  constructor(query: FuzzyPrefixQuery, binding: QueryBinding) {
    super();
    this.#query = query;
    this.#similarities = query.fields.map(({ field }) => binding.textField(field).similarity);
  }

  evaluator({ segment, pool }: SegmentContext): FuzzyPrefixEvaluator | null {
    const { prefix, maxDistance } = this.#query;
    const fields: FuzzyPrefixField[] = [];
    this.#query.fields.forEach(({ field, boost }, i) => {
      const terms = segment.terms(field);
      if (terms === null) return;
      const expansion = expandPrefix(terms, prefix, maxDistance, pool.interrupt);
      if (expansion.ordinals.length === 0) return;
      fields.push({ terms, expansion, lengthNorms: this.#similarities[i]!.lengthNorms, boost });
    });
    return fields.length === 0 ? null : new FuzzyPrefixEvaluator(fields, maxDistance, segment, pool);
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
          value: evaluator!.distanceOf(docId),
          description: "edits to the nearest of them; each halves the score",
          details: [],
        },
      ],
    }));
  }
}
