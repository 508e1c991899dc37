import type { Services } from "../../services/create-services.js";
import type { Logger } from "../log/logger.js";

/** What is gathered about a request for traces. */
export type RequestTrace = NonNullable<ReturnType<Services["tracing"]["beginRequest"]>>;

/** What is told of a request once it is over. */
export interface HandledRequest {
  readonly id: string;
  readonly method: string;
  /** As sent. */
  readonly url: string;
  /** Path of the route that took it, as the table has it; null where none did. */
  readonly route: string | null;
  readonly operation: Parameters<Services["metrics"]["requestEnded"]>[0]["operation"];
  /** Null where nothing is traced. */
  readonly trace: RequestTrace | null;
}

/** How it ended. */
export interface RequestEnd {
  readonly status: number;
  /** False: the caller has gone before. */
  readonly isWhole: boolean;
  readonly durationMs: number;
}

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
    ...(request.trace !== null && { trace_id: request.trace.traceId }),
  };
  logger[level](line, "request");
}

/**
 * A request's path as it may be logged: without the query, and with every segment below `/auth/key/` masked
 * but the fixed word `check` with its number, because keys travel there, and those below `/measure/user/`,
 * because whoever is to be forgotten there must not be remembered here.
 */
export function maskedPath(url: string): string {
  const path = url.split(/[?#]/, 1)[0]!.slice(0, PATH_LENGTH_MAX);
  const segments = path.split("/").filter((segment) => segment !== "");
  const [first, second, third] = segments.map(decoded);
  if (first === "measure" && second === "user" && third !== undefined) return "/measure/user/********";
  if (first !== "auth" || second !== "key" || third === undefined) return path;
  return third === "check" && segments.length > 3 ? "/auth/key/check/…" : "/auth/key/********";
}

const PATH_LENGTH_MAX = 1000;

/** Routing decodes segments, so `/%61uth/key/…` must be recognised too. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
