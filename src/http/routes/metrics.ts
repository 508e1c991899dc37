import type { Services } from "../../services/create-services.js";
import type { RouteHandlers } from "../route-handler.js";
import { TextStream } from "../text-stream.js";

export function metricsRoutes(metrics: Services["metrics"]): Pick<RouteHandlers, "getMetrics"> {
  return {
    getMetrics: () =>
      new TextStream(async function* () {
        yield await metrics.text();
      }, "text/plain; version=0.0.4; charset=utf-8"),
  };
}
