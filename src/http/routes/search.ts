import type { SearchResult } from "../../contract/search.js";
import type { FederatedSearchService } from "../../services/federations/federated-search-service.js";
import type { SearchService } from "../../services/search/search-service.js";
import type { SuggestService } from "../../services/search/suggest-service.js";
import { FacetsJson } from "../facets-json.js";
import { JsonAnswer, SharedAnswer } from "../json-text.js";
import { JsonWriter } from "../json-writer.js";
import { parameter, type RouteHandlers } from "../route-handler.js";
import { ENVELOPE_END, ENVELOPE_START } from "../success-answer.js";

export function searchRoutes(
  search: SearchService,
  federatedSearch: FederatedSearchService,
  suggest: SuggestService,
): Pick<RouteHandlers, "searchIndex" | "searchFederation" | "suggest"> {
  return {
    searchIndex: async (call) =>
      searchAnswer(await search.search(parameter(call, "index_name"), call.sentBody, call, call.caller)),
    searchFederation: async (call) =>
      searchAnswer(
        await federatedSearch.search(
          parameter(call, "federation_name"),
          call.sentBody,
          call.authority,
          call.client,
          call.caller,
        ),
      ),
    suggest: (call) => suggest.suggest(parameter(call, "index_name"), call.query),
  };
}

/** With each document's stored JSON spliced in as it is. */
function searchAnswer(result: SearchResult): JsonAnswer | SharedAnswer {
  const seconds = JSON.stringify(result.time_taken);
  WRITER.clear();
  if (result.keptPage === undefined) {
    writeBefore(result);
    WRITER.ascii(seconds);
    writeAfter(result);
    return new JsonAnswer(WRITER.take());
  }
  let kept = KEPT_PAGES.get(result.keptPage);
  if (kept === undefined) {
    writeBefore(result);
    const before = WRITER.take();
    writeAfter(result);
    kept = { before, after: WRITER.take() };
    KEPT_PAGES.set(result.keptPage, kept);
  }
  return new SharedAnswer(kept.before, seconds, kept.after);
}

/** What was made of pages that are given again. */
const KEPT_PAGES = new WeakMap<object, { readonly before: Buffer; readonly after: Buffer }>();

const FACETS = new FacetsJson();

/** Of one answer after the other. */
const WRITER = new JsonWriter();

/**
 * The answer as far as the time that the search took. Ids and index names hold nothing that JSON escapes (contract
 * 4.1).
 */
function writeBefore({ hits, count }: SearchResult): void {
  let between = `${ENVELOPE_START}{"hits":[`;
  for (let place = 0; place < hits.length; place++) {
    const { docJson, document_id: id, score, source_index: index, highlights, explanation } = hits[place]!;
    WRITER.ascii(`${between}{"doc":`);
    WRITER.bytes(docJson);
    between = `,"document_id":"${id}","score":${Number.isFinite(score) ? score : null},"source_index":"${index}"`;
    if (highlights !== undefined || explanation !== undefined) {
      const shown = highlights === undefined ? "" : `,"highlights":${JSON.stringify(highlights)}`;
      const explained = explanation === undefined ? "" : `,"explanation":${JSON.stringify(explanation)}`;
      WRITER.text(between + shown + explained);
      between = "";
    }
    between += "},";
  }
  const end = hits.length === 0 ? between : between.slice(0, -1);
  WRITER.ascii(`${end}],"count":${count},"time_taken":`);
}

/** What comes behind it. */
function writeAfter({ facets, cursor }: SearchResult): void {
  if (facets !== undefined) WRITER.text(`,"facets":${FACETS.textOf(facets)}`);
  if (cursor !== undefined) WRITER.text(`,"cursor":${JSON.stringify(cursor)}`);
  WRITER.ascii(`}${ENVELOPE_END}`);
}
