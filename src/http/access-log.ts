import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "./logger.js";
import { maskedPath } from "./masked-path.js";

/**
 * Logs a request once its answer has left or its caller has gone: id, method, route, masked path, status
 * and duration. `aborted` marks an answer that did not get through.
 */
export function logRequest(
  logger: Logger,
  request: FastifyRequest,
  reply: FastifyReply,
  durationMs: number,
): void {
  const status = reply.raw.statusCode;
  const level = status >= 500 && status !== 503 ? "error" : "info";
  if (!logger.isLevelEnabled(level)) return;
  const line = {
    request_id: request.id,
    method: request.method,
    route: request.routeOptions.url ?? null,
    path: maskedPath(request.url),
    status,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    ...(!reply.raw.writableFinished && { aborted: true }),
  };
  logger[level](line, "request");
}
