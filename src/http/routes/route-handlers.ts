import type { AdminService } from "../../services/admin/admin-service.js";
import type { Services } from "../../services/create-services.js";
import { TextStream } from "../answers/streamed-answers.js";
import { adminRoutes } from "./admin.js";
import { aliasRoutes } from "./aliases.js";
import { backupRoutes } from "./backups.js";
import { dictionaryRoutes } from "./dictionaries.js";
import { documentRoutes, transactionRoutes } from "./documents.js";
import { federationRoutes } from "./federations.js";
import { indexRoutes } from "./indexes.js";
import { keyRoutes } from "./keys.js";
import { type McpRouteOptions, mcpRoutes } from "./mcp.js";
import { measureRoutes } from "./measure.js";
import type { RouteHandlers } from "./route-handler.js";
import { searchRoutes } from "./search.js";
import { summaryRoutes } from "./summaries.js";

/** All handlers over the services. @param mcp what else the one of MCP needs */
export function routeHandlers(
  services: Pick<
    Services,
    | "indexes"
    | "aliases"
    | "dictionaries"
    | "documents"
    | "search"
    | "suggest"
    | "summaries"
    | "federations"
    | "federatedSearch"
    | "measure"
    | "dashboards"
    | "keys"
    | "metrics"
    | "admin"
    | "signInCodes"
    | "backups"
  >,
  mcp: Omit<McpRouteOptions, "keys">,
): RouteHandlers {
  const handlers = {
    ...healthRoutes(services.admin),
    ...metricsRoutes(services.metrics),
    ...aliasRoutes(services.aliases),
    ...indexRoutes(services.indexes),
    ...dictionaryRoutes(services.dictionaries),
    ...documentRoutes(services.documents),
    ...searchRoutes(services.search, services.federatedSearch, services.suggest),
    ...summaryRoutes(services.summaries),
    ...federationRoutes(services.federations),
    ...transactionRoutes(services.documents),
    ...measureRoutes(services.measure, services.dashboards),
    ...keyRoutes(services.keys),
    ...adminRoutes(services.admin, services.keys, services.signInCodes),
    ...backupRoutes(services.backups),
  };
  return { ...handlers, ...mcpRoutes(handlers, { ...mcp, keys: services.keys }) };
}

export function healthRoutes(
  admin: Pick<AdminService, "requireReady">,
): Pick<RouteHandlers, "checkHealth" | "checkLiveness" | "checkReadiness"> {
  return {
    checkHealth: () => "service is healthy",
    checkLiveness: () => "service is alive",
    // Nothing is listened for before everything is open; while a stop goes on all requests are refused.
    checkReadiness() {
      admin.requireReady();
      return "service is ready";
    },
  };
}

export function metricsRoutes(metrics: Services["metrics"]): Pick<RouteHandlers, "getMetrics"> {
  return {
    getMetrics: () =>
      new TextStream(async function* () {
        yield await metrics.text();
      }, "text/plain; version=0.0.4; charset=utf-8"),
  };
}
