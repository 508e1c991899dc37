import type { SummaryService } from "../../services/summary/summary-service.js";
import { TextStream } from "../answers/streamed-answers.js";
import { EventStream } from "../event-stream/event-frames.js";
import { originOf, parameter, type RouteHandlers } from "./route-handler.js";

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
