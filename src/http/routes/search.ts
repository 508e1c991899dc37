import type { SearchResult } from "../../contract/search.js";
import type { FederatedSearchService } from "../../services/federations/federated-search-service.js";
import type { SearchService } from "../../services/search/search-service.js";
import type { SuggestService } from "../../services/search/suggest-service.js";
import type { SummaryService } from "../../services/summary/summary-service.js";
import { SearchAnswer } from "../answers/search-answer.js";
import { TextStream } from "../answers/streamed-answers.js";
import { EventStream } from "../event-stream/event-frames.js";
import { type HandlersOf, originOf, parameter } from "./route-handler.js";

export function searchRoutes(
  search: SearchService,
  federatedSearch: FederatedSearchService,
  suggest: SuggestService,
  summaries: SummaryService,
): HandlersOf<"Search"> {
  return {
    searchIndex: (call) =>
      searchAnswer(search.search(parameter(call, "index_name"), call.body, originOf(call), call.caller)),
    searchFederation: (call) =>
      searchAnswer(
        federatedSearch.search(
          parameter(call, "federation_name"),
          call.body,
          call.authority,
          call.client,
          call.caller,
        ),
      ),
    suggest: (call) => suggest.suggest(parameter(call, "index_name"), call.query),
    getCapabilities: (call) => summaries.capabilities(parameter(call, "index_name")),
    summarizeSearch: async (call) =>
      new EventStream(
        await summaries.summarize(parameter(call, "index_name"), call.body, originOf(call), call.caller),
      ),
    summarizeSearchAsText: async (call) => {
      const answer = await summaries.summarizeForBox(call.body, originOf(call), call.caller);
      return new TextStream((signal) => answer.text(signal));
    },
  };
}

/** Without a promise where the result is there already. */
function searchAnswer(result: SearchResult | Promise<SearchResult>): SearchAnswer | Promise<SearchAnswer> {
  return result instanceof Promise
    ? result.then((awaited) => new SearchAnswer(awaited))
    : new SearchAnswer(result);
}
