/** How good rankings are against judgements: the same code judges Findling and its peers. */

/** Grade by document: 0 or absent = irrelevant, higher = better. */
export type Judgements = ReadonlyMap<string, number>;

export interface RelevanceFigures {
  /** Normalized discounted cumulative gain of the first ten, 0 to 1. */
  readonly ndcg10: number;
  /** Mean average precision over the whole ranking, 0 to 1. */
  readonly map: number;
  /** Share of the relevant documents among the first hundred, 0 to 1. */
  readonly recall100: number;
}

const NDCG_DEPTH = 10;
const RECALL_DEPTH = 100;

/** Rankings shorter than this are taken as complete; longer ones are cut here, as trec_eval does. */
export const RANKING_DEPTH = 1000;

/**
 * nDCG@k = DCG / ideal DCG with DCG = Σ (2^grade − 1) / log2(rank + 1) over ranks 1 to k; the ideal
 * ranking is all judged documents by grade. 0 if nothing is relevant.
 *
 * Järvelin and Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques", 2002; the exponential
 * gain is Burges et al., "Learning to Rank Using Gradient Descent", 2005.
 */
export function normalizedGain(ranking: readonly string[], judgements: Judgements, depth: number): number {
  const ideal = discountedGain([...judgements.values()].sort((a, b) => b - a).slice(0, depth));
  if (ideal === 0) return 0;
  return discountedGain(ranking.slice(0, depth).map((id) => judgements.get(id) ?? 0)) / ideal;
}

function discountedGain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, i) => sum + (2 ** grade - 1) / Math.log2(i + 2), 0);
}

/** Mean, over all relevant documents, of the precision at the document's rank; 0 for one not ranked. */
export function averagePrecision(ranking: readonly string[], judgements: Judgements): number {
  const relevant = relevantCount(judgements);
  let found = 0;
  let sum = 0;
  ranking.slice(0, RANKING_DEPTH).forEach((id, i) => {
    if ((judgements.get(id) ?? 0) === 0) return;
    found++;
    sum += found / (i + 1);
  });
  return relevant === 0 ? 0 : sum / relevant;
}

/** Share of the relevant documents that are among the first `depth`. */
export function recall(ranking: readonly string[], judgements: Judgements, depth: number): number {
  const relevant = relevantCount(judgements);
  const found = ranking.slice(0, depth).filter((id) => (judgements.get(id) ?? 0) > 0).length;
  return relevant === 0 ? 0 : found / relevant;
}

function relevantCount(judgements: Judgements): number {
  return [...judgements.values()].filter((grade) => grade > 0).length;
}

/** Means over queries; a query with relevant documents but no results counts as 0. */
export function relevanceFigures(
  rankings: readonly (readonly string[])[],
  judgements: readonly Judgements[],
): RelevanceFigures {
  const mean = (figure: (ranking: readonly string[], judged: Judgements) => number): number =>
    rankings.reduce((sum, ranking, i) => sum + figure(ranking, judgements[i]!), 0) / rankings.length;
  return {
    ndcg10: mean((ranking, judged) => normalizedGain(ranking, judged, NDCG_DEPTH)),
    map: mean(averagePrecision),
    recall100: mean((ranking, judged) => recall(ranking, judged, RECALL_DEPTH)),
  };
}
