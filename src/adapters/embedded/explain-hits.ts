import { bytesOfJson } from "../../contract/document-json.js";
import type {
  CollectionStatistics,
  Explanation,
  Query,
  RankedHit,
  Searcher,
} from "../../engine/server-door.js";
import type { BackendHit } from "../../ports/search-backend.js";
import { hasScores, type SearchPlan } from "../../query/search-plan.js";
import type { SearchAdmission } from "./search-patience.js";

/**
 * Hits that are explained together: so many share one evaluation of the query. Trees take several times the memory of
 * the JSON that is made of them, and a page may be of 100,000 hits.
 */
const HITS_TOGETHER = 1_000;
/** Trees that are written as JSON between two looks at the clock. */
const TREES_PER_CHECK = 8;

/** Whose hits are explained, and by what their scores were worked out. */
export interface ExplainedSearch {
  readonly searcher: Searcher;
  readonly query: Query;
  readonly plan: SearchPlan;
  /** Undefined for the snapshot's own. */
  readonly statistics: CollectionStatistics | undefined;
}

/** Hits that are ordered by values alone have no score to explain. */
export function explainsHits(plan: SearchPlan): boolean {
  return plan.explain === true && hasScores(plan);
}

/**
 * @param hits of the search
 * @returns each one's explanation as JSON in UTF-8
 * @throws TooDear if the admission says so; FindlingError `search_timeout`
 */
export function explainHits(
  { searcher, query, plan, statistics }: ExplainedSearch,
  hits: readonly RankedHit[],
  admission: SearchAdmission,
): Uint8Array[] {
  const { interrupt } = admission;
  admission.admit(searcher.explanationCost(query, hits.length));
  const texts: Uint8Array[] = [];
  for (let start = 0; start < hits.length; start += HITS_TOGETHER) {
    const together = hits.slice(start, start + HITS_TOGETHER);
    const explanations = searcher.explainAll(query, together, statistics, plan.timeDecay, interrupt);
    for (let i = 0; i < explanations.length; i++) {
      if (i % TREES_PER_CHECK === 0) interrupt.check();
      texts.push(bytesOfJson(JSON.stringify(requireMatch(explanations[i]!))));
    }
  }
  return texts;
}

/** @param explanations by hit; null: nothing is explained */
export function withExplanations<Hit extends BackendHit>(
  hits: readonly Hit[],
  explanations: readonly Uint8Array[] | null,
): readonly Hit[] {
  return explanations === null ? hits : hits.map((hit, i) => ({ ...hit, explanationJson: explanations[i]! }));
}

function requireMatch(explanation: Explanation | null): Explanation {
  if (explanation === null) throw new TypeError("only hits can be explained");
  return explanation;
}
