import { fieldNormLength } from "../../bytes/field-norm.js";
import type { Explanation } from "../search-types.js";
import { type Bm25Similarity, SATURATION_LIMIT } from "../similarity/bm25-similarity.js";

/** Takes a BM25 score apart into boost, idf and frequency part. */
export function explainBm25(
  what: string,
  parts: {
    readonly score: number;
    readonly boost: number;
    readonly inverseDocFreq: number;
    readonly similarity: Bm25Similarity;
    readonly norm: number;
  },
): Explanation {
  const { score, boost, inverseDocFreq, similarity, norm } = parts;
  const length = fieldNormLength(norm);
  const weight = inverseDocFreq * SATURATION_LIMIT * boost;
  return {
    value: score,
    description: `BM25 of ${what}: boost · idf · ${SATURATION_LIMIT} · frequency part`,
    details: [
      { value: boost, description: "boost", details: [] },
      { value: inverseDocFreq, description: "idf over the live documents that have the field", details: [] },
      {
        value: weight === 0 ? 0 : score / weight,
        description:
          `frequency part: tf / (tf + ${similarity.lengthNorms[norm]}) in a field of about ${length} tokens, ` +
          `${similarity.averageFieldLength} on average`,
        details: [],
      },
    ],
  };
}
