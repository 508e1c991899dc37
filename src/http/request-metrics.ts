import type { Services } from "../services/create-services.js";
import type { HandledRequest, RequestEnd } from "./handled-request.js";

/** What is told of requests, as the services' metrics have it. */
export type RequestMetrics = Pick<Services["metrics"], "requestArrived" | "requestEnded">;

type RequestFigures = Parameters<RequestMetrics["requestEnded"]>[0];

/**
 * Counts a request whose answer has left or whose caller has gone, by what it asked for and how it ended:
 * never by its path, of which callers can make up any number.
 */
export function countRequest(
  metrics: RequestMetrics,
  { operation, method }: HandledRequest,
  { status, isWhole, durationMs }: RequestEnd,
): void {
  metrics.requestEnded({
    operation,
    method: methodOf(method),
    status: isWhole ? statusClassOf(status) : "aborted",
    durationMs,
  });
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

function methodOf(method: string): RequestFigures["method"] {
  return METHODS.has(method) ? (method as RequestFigures["method"]) : "other";
}

const STATUS_CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

function statusClassOf(status: number): RequestFigures["status"] {
  return STATUS_CLASSES[Math.floor(status / 100) - 1] ?? "5xx";
}
