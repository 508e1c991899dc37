import type { RankedHit, Searcher } from "../../engine/server-door.js";
import type { BackendHit, BackendSearchResult } from "../../ports/search-backend.js";
import type { SearchPlan } from "../../query/search-plan.js";
import { explainHits, explainsHits, withExplanations } from "./explain-hits.js";
import { contentsOf, lowerQuery } from "./lower-query.js";
import type { SearchAdmission } from "./search-patience.js";
import { showHits } from "./show-hits.js";

/** Bytes of documents that are taken from memory between two looks at the time, which takes some 50 µs. */
const BYTES_PER_CHECK = 64 * 1024;
/** Reading one takes as long, however short it is. */
const BYTES_PER_HIT = 8 * 1024;

/**
 * Runs a plan on one snapshot of an index.
 *
 * @throws TooDear if the admission says so; FindlingError `search_timeout`
 */
export function searchIndex(
  searcher: Searcher,
  plan: SearchPlan,
  admission: SearchAdmission,
): BackendSearchResult {
  const { interrupt } = admission;
  const { offset, limit, facets, orderBy, timeDecay } = plan;
  const startMs = plan.profile === true ? performance.now() : 0;
  const query = lowerQuery(plan.ast, contentsOf(searcher, interrupt));
  const plain = { query, offset, limit, facets, interrupt };
  // Copies take longer to make than most of what they go to, and most searches need none.
  const options =
    orderBy === undefined && timeDecay === undefined
      ? plain
      : {
          ...plain,
          ...(orderBy === undefined ? {} : { orderBy }),
          ...(timeDecay === undefined ? {} : { timeDecay }),
        };
  admission.admit(searcher.cost(options));
  const ranked = searcher.rank(options);
  const rankedMs = plan.profile === true ? performance.now() : 0;
  const hits: BackendHit[] = [];
  const end = Math.min(offset + limit, ranked.hits.length);
  const explained: RankedHit[] | null = explainsHits(plan) ? [] : null;
  // Hits in another order may have to be read to be told.
  const kept = orderBy === undefined ? searcher.keptPage(ranked.hits, offset, end) : null;
  let unchecked = BYTES_PER_CHECK;
  let reads = searcher.documentReads;
  for (let place = offset; place < end; place++) {
    // A document that was read from its file may have kept everybody waiting for the disk.
    if (unchecked >= BYTES_PER_CHECK || searcher.documentReads !== reads) {
      interrupt.check();
      unchecked = 0;
      reads = searcher.documentReads;
    }
    const hit = ranked.hits.at(place);
    const { score } = hit;
    let docJson = kept?.jsons[place - offset];
    let documentId = kept?.ids[place - offset];
    let length = kept?.lengths[place - offset] ?? 0;
    if (docJson === undefined || documentId === undefined) {
      ({ documentId, json: docJson } = searcher.loadBytes(hit));
      length = docJson.length;
    }
    unchecked += BYTES_PER_HIT + length;
    explained?.push(hit);
    hits.push({ documentId, score, docJson });
  }
  const loadedMs = plan.profile === true ? performance.now() : 0;
  const search = { searcher, query, plan, statistics: undefined };
  const explanations = explained === null ? null : explainHits(search, explained, admission);
  const member = { searcher, plan };
  const shown = showHits(withExplanations(hits, explanations), () => member, admission);
  const shownMs = plan.profile === true ? performance.now() : 0;
  const allFacets =
    plan.multiSelectFacets === undefined
      ? ranked.facets
      : [...ranked.facets, ...multiSelectFacets(searcher, plan, admission)];
  const result = { count: ranked.count, hits: shown, facets: allFacets };
  if (plan.profile !== true) return result;
  const phases = {
    match: rankedMs - startMs + performance.now() - shownMs,
    documents: loadedMs - rankedMs,
    show: shownMs - loadedMs,
  };
  return { ...result, phases };
}

/** Counts of facet fields over the matches of a query of their own each. */
function multiSelectFacets(
  searcher: Searcher,
  plan: SearchPlan,
  admission: SearchAdmission,
): BackendSearchResult["facets"] {
  const { interrupt } = admission;
  return (plan.multiSelectFacets ?? []).flatMap(({ field, ast }) => {
    const query = lowerQuery(ast, contentsOf(searcher, interrupt));
    const options = { query, offset: 0, limit: 0, facets: [field], interrupt };
    admission.admit(searcher.cost(options));
    return searcher.search(options).facets;
  });
}
