import type { Services } from "../../services/create-services.js";
import { TextStream } from "../answers/streamed-answers.js";
import { adminRoutes } from "./admin.js";
import { backupRoutes } from "./backups.js";
import { dictionaryRoutes } from "./dictionaries.js";
import { documentRoutes, transactionRoutes } from "./documents.js";
import { federationRoutes } from "./federations.js";
import { indexRoutes } from "./indexes.js";
import { keyRoutes } from "./keys.js";
import { type McpRouteOptions, mcpRoutes } from "./mcp.js";
import { measureRoutes } from "./measure.js";
import type { HandlersOf, RouteHandlers } from "./route-handler.js";
import { searchRoutes } from "./search.js";

/** All handlers over the services. @param mcp what else the one of MCP needs */
export function routeHandlers(services: Services, mcp: Omit<McpRouteOptions, "keys">): RouteHandlers {
  const handlers = {
    ...healthRoutes(services),
    ...indexRoutes(services.indexes, services.aliases),
    ...dictionaryRoutes(services.dictionaries),
    ...documentRoutes(services.documents),
    ...searchRoutes(services.search, services.federatedSearch, services.suggest, services.summaries),
    ...federationRoutes(services.federations),
    ...transactionRoutes(services.documents),
    ...measureRoutes(services.measure, services.dashboards),
    ...keyRoutes(services.keys),
    ...adminRoutes(services.admin, services.signInCodes),
    ...backupRoutes(services.backups),
  };
  return { ...handlers, ...mcpRoutes(handlers, { ...mcp, keys: services.keys }) };
}

function healthRoutes({ admin, metrics }: Pick<Services, "admin" | "metrics">): HandlersOf<"Health"> {
  return {
    checkHealth: () => "service is healthy",
    checkLiveness: () => "service is alive",
    // Nothing is listened for before everything is open; while a stop goes on all requests are refused.
    checkReadiness() {
      admin.requireReady();
      return "service is ready";
    },
    getMetrics: () =>
      new TextStream(async function* () {
        yield await metrics.text();
      }, "text/plain; version=0.0.4; charset=utf-8"),
  };
}
