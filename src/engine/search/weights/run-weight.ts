import type { PhraseQuery } from "../query.js";
import { inverseDocumentFrequency } from "../similarity/bm25-similarity.js";
import { PhraseWeight } from "./phrase-weight.js";
import type { QueryBinding } from "./query-binding.js";
import { BoostWeight } from "./rescoring-weights.js";
import { prefixWeight } from "./term-range-weight.js";
import { TermWeight } from "./term-weight.js";
import type { Weight } from "./weight.js";

/**
 * Tokens in a row in a field, which stand for something else: boost · (k1 + 1) · tf / (tf + K), BM25 without idf, since
 * how rare they are says nothing of how well they do so. A beginning alone scores the boost.
 *
 * @param run at least one token
 * @param lastIsPrefix whether the last one stands for every term that starts with it
 */
export function runWeight(
  run: PhraseQuery["terms"],
  lastIsPrefix: boolean,
  field: string,
  boost: number,
  binding: QueryBinding,
): Weight {
  const [first, second] = run;
  if (first !== undefined && second === undefined && lastIsPrefix) {
    return new BoostWeight(prefixWeight({ kind: "prefix", field, prefix: first.term }, binding), boost);
  }
  const { statistics } = binding;
  const { docCount } = statistics.fieldStatistics(field);
  const counted = lastIsPrefix ? run.slice(0, -1) : run;
  const inverseDocFreq = counted.reduce(
    (sum, { term }) => sum + inverseDocumentFrequency(statistics.docFreq(field, term), docCount),
    0,
  );
  const ownBoost = boost / inverseDocFreq;
  if (first !== undefined && second === undefined) {
    return new TermWeight(field, first.term, ownBoost, binding);
  }
  const phrase = { kind: "phrase", field, terms: run, slop: 0, lastIsPrefix } as const;
  return new PhraseWeight(phrase, ownBoost, binding);
}
