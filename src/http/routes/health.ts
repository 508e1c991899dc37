import type { RouteHandlers } from "../route-handler.js";

export function healthRoutes(): Pick<RouteHandlers, "checkHealth"> {
  return { checkHealth: () => "service is healthy" };
}
