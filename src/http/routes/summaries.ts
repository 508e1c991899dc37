import type { SummaryService } from "../../services/summary/summary-service.js";
import { EventStream } from "../event-stream/event-stream.js";
import { originOf, parameter, type RouteHandlers } from "../route-handler.js";
import { TextStream } from "../text-stream.js";

export function summaryRoutes(
  summaries: SummaryService,
): Pick<RouteHandlers, "getCapabilities" | "summarizeSearch" | "summarizeSearchAsText"> {
  return {
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
