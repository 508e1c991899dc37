import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "./logger.js";
import { maskedPath } from "./masked-path.js";

/**
 * Logs each request once, when its answer has left or its caller has gone: id, method, route, masked
 * path, status and duration. `aborted` marks an answer that did not get through.
 */
export function logWhenEnded(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const startMs = performance.now();
  reply.raw.once("close", () => {
    const status = reply.raw.statusCode;
    const line = {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      path: maskedPath(request.url),
      status,
      duration_ms: Math.round((performance.now() - startMs) * 1000) / 1000,
      ...(!reply.raw.writableFinished && { aborted: true }),
    };
    if (status >= 500 && status !== 503) logger.error(line, "request");
    else logger.info(line, "request");
  });
}
