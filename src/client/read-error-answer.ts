import { FindlingClientError, type FindlingErrorItem } from "./findling-client-error.js";

/** The error in an answer whose status isn't a success (contract 1.5), whatever its body turns out to be. */
export function readErrorAnswer(response: Response, body: unknown): FindlingClientError {
  const envelope = membersOf(body);
  const data = membersOf(envelope["data"]);
  const message = asString(envelope["message"]) ?? asString(data["error"]);
  const wait = response.headers.get("retry-after") ?? "";
  return new FindlingClientError({
    status: response.status,
    code: asString(data["code"]) ?? (message === undefined ? "not_findling" : "internal"),
    message: message ?? `the server answered ${response.status} without a reason; is it a findling server?`,
    details: asString(data["details"]),
    errors: listOf(data["errors"]).filter(isErrorItem),
    retryAfterSeconds: /^\d+$/.test(wait) ? Number(wait) : undefined,
  });
}

/** What `fetch` threw, told apart by whether the request may have reached the server. */
export function readFetchFailure(
  failure: unknown,
  url: string,
  timeoutMs: number,
  key: string | undefined,
): FindlingClientError {
  const [code, told] = codeAndMessage(failure, url, timeoutMs);
  // A key that no header can carry is quoted by what refuses it.
  const message = key ? told.replaceAll(key, "…") : told;
  return new FindlingClientError({ status: 0, code, message, cause: failure });
}

function codeAndMessage(failure: unknown, url: string, timeoutMs: number): readonly [string, string] {
  const { name, message } = failure instanceof Error ? failure : { name: "", message: String(failure) };
  if (name === "TimeoutError")
    return ["timeout", `the server at ${url} did not answer within ${timeoutMs / 1000} s`];
  if (name === "AbortError") return ["aborted", "the request was aborted"];
  const reason = systemCode(failure) ?? asString(membersOf(membersOf(failure)["cause"])["message"]);
  return NOTHING_SENT.test(reason ?? "")
    ? ["unreachable", `no server answers at ${url} (${reason})`]
    : ["connection_lost", `the connection to ${url} was lost (${reason ?? message})`];
}

/** Failures to connect at all, as Node names them; a browser gives no reason, which counts as lost. */
const NOTHING_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

/** The system's code, which Node puts on the cause, or on the first of several tried addresses. */
function systemCode(failure: unknown): string | undefined {
  const cause = membersOf(membersOf(failure)["cause"]);
  const [tried] = listOf(cause["errors"]);
  return asString(cause["code"]) ?? asString(membersOf(tried)["code"]);
}

function isErrorItem(entry: unknown): entry is FindlingErrorItem {
  const { path, message } = membersOf(entry);
  return typeof path === "string" && typeof message === "string";
}

/** None, if it isn't a list. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value's members; none where there is no value. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return (value ?? {}) as Record<string, unknown>;
}

function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
