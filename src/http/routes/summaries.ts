import type { SummaryService } from "../../services/summary/summary-service.js";
import { EventStream } from "../event-stream/event-stream.js";
import { parameter, type RouteHandlers } from "../route-handler.js";

export function summaryRoutes(
  summaries: SummaryService,
): Pick<RouteHandlers, "getCapabilities" | "summarizeSearch"> {
  return {
    getCapabilities: (call) => summaries.capabilities(parameter(call, "index_name")),
    summarizeSearch: async (call) =>
      new EventStream(await summaries.summarize(parameter(call, "index_name"), call.body, call)),
  };
}
