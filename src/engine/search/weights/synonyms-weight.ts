import { shownTerm } from "../../../analysis/stem-terms.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { SynonymsEvaluator } from "../evaluators/synonyms-evaluator.js";
import type { SegmentContext } from "../plan/matcher.js";
import type { SynonymsQuery } from "../query.js";
import type { Explanation } from "../search-types.js";
import { inverseDocumentFrequency } from "../similarity/bm25-similarity.js";
import { BooleanWeight } from "./boolean-weight.js";
import { eachMatch, scoresOf } from "./explain-matches.js";
import type { QueryBinding } from "./query-binding.js";
import { runWeight } from "./run-weight.js";
import { Weight } from "./weight.js";

type Run = SynonymsQuery["alternatives"][number]["key"];

interface AlternativeWeights {
  readonly importance: number;
  readonly key: Weight;
  readonly terms: Weight;
  readonly description: string;
}

/** Words and what stands for them; scores as docs/adr/0008-synonyms.md says. */
export class SynonymsWeight extends Weight {
  readonly #words: Weight;
  readonly #alternatives: readonly AlternativeWeights[];

  /** @param words bound to the same snapshot */
  constructor(query: SynonymsQuery, words: Weight, binding: QueryBinding) {
    super();
    this.#words = words;
    const statisticsFields = query.statisticsFields ?? query.fields.map(({ field }) => field);
    this.#alternatives = query.alternatives.map(({ key, terms }) => ({
      importance: importanceOf(key, statisticsFields, binding),
      key: anyOf([key], query.fields, binding),
      terms: anyOf(terms, query.fields, binding),
      description: `${textOf(key)}: ${terms.map(textOf).join(", ")}`,
    }));
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const words = this.#words.evaluator(context);
    const alternatives = this.#alternatives.map(({ importance, key, terms }) => ({
      importance,
      key: words === null ? null : key.evaluator(context),
      terms: terms.evaluator(context),
    }));
    if (words === null && alternatives.every(({ terms }) => terms === null)) return null;
    return new SynonymsEvaluator(words, alternatives, context.pool);
  }

  override mayOccur(): boolean {
    return this.#words.mayOccur() || this.#alternatives.some(({ terms }) => terms.mayOccur());
  }

  /** A document gets the bonus of one key at most, and less than that for terms. */
  override scoreBound(): number {
    return this.#words.scoreBound() + Math.max(0, ...this.#alternatives.map(({ importance }) => importance));
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const { pool } = context;
    const words = this.#words.explain(context, docIds);
    const alternatives = this.#alternatives.map(({ importance, key, terms, description }) => ({
      importance,
      keyScores: scoresOf(key.evaluator(context), docIds, pool),
      termScores: scoresOf(terms.evaluator(context), docIds, pool),
      description,
    }));
    return eachMatch(this.evaluator(context), docIds, pool, (score, place) => {
      const details: Explanation[] = [];
      const word = words[place]!;
      if (word !== null) details.push(word);
      for (const { importance, keyScores, termScores, description } of alternatives) {
        if (word !== null && keyScores[place] !== null) {
          details.push({
            value: importance,
            description: `holds the synonym key of ${description}`,
            details: [],
          });
        }
        const termScore = termScores[place]!;
        if (termScore !== null) {
          details.push({
            value: termScore,
            description: `BM25 without idf of the synonyms ${description}`,
            details: [{ value: importance, description: "sum of the key's idf", details: [] }],
          });
        }
      }
      return { value: score, description: "the greater of words and synonyms", details };
    });
  }
}

/** Sum of the idf of the tokens, each in the field where it is most common. */
function importanceOf(key: Run, fields: readonly string[], { statistics }: QueryBinding): number {
  let docCount = 0;
  for (const field of fields) docCount = Math.max(docCount, statistics.fieldStatistics(field).docCount);
  let sum = 0;
  for (const { term } of key) {
    let docFreq = 0;
    for (const field of fields) docFreq = Math.max(docFreq, statistics.docFreq(field, term));
    sum += inverseDocumentFrequency(docFreq, docCount);
  }
  return sum;
}

/** Any of the runs in any of the fields; the sum of boost · (k1 + 1) · tf / (tf + K). */
function anyOf(runs: readonly Run[], fields: SynonymsQuery["fields"], binding: QueryBinding): Weight {
  const clauses = runs.flatMap((run) =>
    fields.map(({ field, boost }) => ({
      occur: "should" as const,
      weight: runWeight(run, false, field, boost, binding),
    })),
  );
  return new BooleanWeight(clauses, undefined);
}

function textOf(run: Run): string {
  return run.map(({ term }) => shownTerm(term)).join(" ");
}
