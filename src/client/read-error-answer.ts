import { FindlingClientError, type FindlingErrorItem } from "./findling-client-error.js";

/** The error in an answer whose status isn't a success (contract 1.5), whatever its body turns out to be. */
export function readErrorAnswer(response: Response, body: unknown): FindlingClientError {
  const envelope = asObject(body);
  const data = asObject(envelope?.["data"]);
  const message = asString(envelope?.["message"]) ?? asString(data?.["error"]);
  const code = asString(data?.["code"]);
  return new FindlingClientError({
    status: response.status,
    code: code ?? (message === undefined ? "not_findling" : "internal"),
    message: message ?? `the server answered ${response.status} without a reason; is it a findling server?`,
    details: asString(data?.["details"]),
    errors: errorItems(data?.["errors"]),
    retryAfterSeconds: retryAfterSeconds(response.headers.get("retry-after")),
  });
}

/** What `fetch` threw, told apart by whether the request may have reached the server. */
export function readFetchFailure(failure: unknown, url: string, timeoutMs: number): FindlingClientError {
  if (failure instanceof Error && failure.name === "TimeoutError") {
    return new FindlingClientError({
      status: 0,
      code: "timeout",
      message: `the server at ${url} did not answer within ${timeoutMs / 1000} s`,
      cause: failure,
    });
  }
  if (failure instanceof Error && failure.name === "AbortError") {
    return new FindlingClientError({
      status: 0,
      code: "aborted",
      message: "the request was aborted",
      cause: failure,
    });
  }
  const reason = systemCode(failure);
  if (reason !== undefined && NOTHING_SENT.has(reason)) {
    return new FindlingClientError({
      status: 0,
      code: "unreachable",
      message: `no server answers at ${url} (${reason}); start one with 'findling serve' or name another with --url`,
      cause: failure,
    });
  }
  const why = reason ?? (failure instanceof Error ? failure.message : String(failure));
  return new FindlingClientError({
    status: 0,
    code: "connection_lost",
    message: `the connection to ${url} was lost (${why})`,
    cause: failure,
  });
}

/** Failures to connect at all, as Node names them; a browser gives no reason, which counts as lost. */
const NOTHING_SENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** The system's code, which Node puts on the cause, or on the first of several tried addresses. */
function systemCode(failure: unknown): string | undefined {
  const cause = asObject(asObject(failure)?.["cause"]);
  const direct = asString(cause?.["code"]);
  if (direct !== undefined) return direct;
  const tried = cause?.["errors"];
  return Array.isArray(tried) ? asString(asObject(tried[0])?.["code"]) : undefined;
}

function errorItems(value: unknown): readonly FindlingErrorItem[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown) => {
    const path = asString(asObject(entry)?.["path"]);
    const message = asString(asObject(entry)?.["message"]);
    return path === undefined || message === undefined ? [] : [{ path, message }];
  });
}

function retryAfterSeconds(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
