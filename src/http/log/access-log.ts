import type { HandledRequest, RequestEnd } from "../handled-request.js";
import type { Logger } from "./logger.js";
import { maskedPath } from "./masked-path.js";

/**
 * Logs a request once its answer has left or its caller has gone: id, method, route, masked path, status
 * and duration. `aborted` marks an answer that did not get through.
 */
export function logRequest(
  logger: Logger,
  request: HandledRequest,
  { status, isWhole, durationMs }: RequestEnd,
): void {
  const level = status >= 500 && status !== 503 ? "error" : "info";
  if (!logger.isLevelEnabled(level)) return;
  const line = {
    request_id: request.id,
    method: request.method,
    route: request.route,
    path: maskedPath(request.url),
    status,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    ...(!isWhole && { aborted: true }),
  };
  logger[level](line, "request");
}
