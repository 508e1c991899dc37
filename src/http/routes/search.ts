import type { SearchHit, SearchResult } from "../../contract/search.js";
import type { FederatedSearchService } from "../../services/federations/federated-search-service.js";
import type { SearchService } from "../../services/search/search-service.js";
import type { SuggestService } from "../../services/search/suggest-service.js";
import { JsonBytes, JsonText } from "../json-text.js";
import { parameter, type RouteHandlers } from "../route-handler.js";

export function searchRoutes(
  search: SearchService,
  federatedSearch: FederatedSearchService,
  suggest: SuggestService,
): Pick<RouteHandlers, "searchIndex" | "searchFederation" | "suggest"> {
  return {
    searchIndex: async (call) =>
      searchAnswer(await search.search(parameter(call, "index_name"), call.body, call, call.caller)),
    searchFederation: async (call) =>
      searchAnswer(
        await federatedSearch.search(
          parameter(call, "federation_name"),
          call.body,
          call.authority,
          call.client,
          call.caller,
        ),
      ),
    suggest: (call) => suggest.suggest(parameter(call, "index_name"), call.query),
  };
}

/** The answer's `data`, with each document's stored JSON text spliced in as it is. */
function searchAnswer(result: SearchResult): JsonText | JsonBytes {
  const seconds = JSON.stringify(result.time_taken);
  if (result.keptPage === undefined) {
    const { before, after } = renderedPage(result);
    return new JsonText(before + seconds + after);
  }
  let kept = KEPT_PAGES.get(result.keptPage);
  if (kept === undefined) {
    const { before, after } = renderedPage(result);
    kept = { before: Buffer.from(before), after: Buffer.from(after) };
    KEPT_PAGES.set(result.keptPage, kept);
  }
  return new JsonBytes([kept.before, Buffer.from(seconds, "latin1"), kept.after]);
}

/** Around the time that the search took. */
function renderedPage({ hits, count, facets, cursor }: SearchResult): { before: string; after: string } {
  const facetText = facets === undefined ? "" : `,"facets":${JSON.stringify(facets)}`;
  const cursorText = cursor === undefined ? "" : `,"cursor":${JSON.stringify(cursor)}`;
  return {
    before: `{"hits":[${hits.map(hitText).join(",")}],"count":${count},"time_taken":`,
    after: `${facetText}${cursorText}}`,
  };
}

/** What was made of pages that are given again. */
const KEPT_PAGES = new WeakMap<object, { readonly before: Buffer; readonly after: Buffer }>();

/** Written by hand, as an answer has many; ids and index names hold nothing that JSON escapes (contract 4.1). */
function hitText(hit: SearchHit): string {
  const { docJson, document_id: id, score, source_index: index, highlights, explanation } = hit;
  const shown = highlights === undefined ? "" : `,"highlights":${JSON.stringify(highlights)}`;
  const explained = explanation === undefined ? "" : `,"explanation":${JSON.stringify(explanation)}`;
  const scoreText = JSON.stringify(score);
  return `{"doc":${docJson},"document_id":"${id}","score":${scoreText},"source_index":"${index}"${shown}${explained}}`;
}
