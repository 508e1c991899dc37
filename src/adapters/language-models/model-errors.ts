import { FindlingError } from "../../errors/index.js";

/** The constant sentences that say why, as `details`; nothing in them comes from the provider. */
export function refused(details: string): FindlingError {
  return new FindlingError(
    "model_refused",
    "the language model refuses the request; check the index's provider, model, API key and base URL",
    { details },
  );
}

export function unavailable(details: string): FindlingError {
  return new FindlingError("model_unavailable", "the language model can't be reached or broke off", {
    details,
  });
}

function overloaded(details: string, retryAfterSeconds: number | undefined): FindlingError {
  return new FindlingError("model_overloaded", "the language model has too much to do; try again later", {
    details,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** Beyond these, 4xx are the request's fault. */
const OVERLOADED_STATUSES: ReadonlySet<number> = new Set([
  429, 503,
  // Anthropic's own.
  529,
]);
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 409, 421, 425]);

/** What a status other than 2xx means. */
export function statusError(status: number, retryAfterSeconds?: number): FindlingError {
  const details = `the provider answered ${status}`;
  if (OVERLOADED_STATUSES.has(status)) return overloaded(details, retryAfterSeconds);
  if (status >= 300 && status < 400) {
    return unavailable(`${details}, a redirect, and redirects are not followed`);
  }
  return status >= 400 && status < 500 && !PASSING_STATUSES.has(status)
    ? refused(details)
    : unavailable(details);
}

/** Nobody is told to wait longer than a day. */
const RETRY_AFTER_SECONDS_MAX = 86_400;

/** Seconds of a `Retry-After` header in either form, or of `retry-after-ms`; undefined if it says nothing of use. */
export function retryAfterOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: number,
): number | undefined {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (milliseconds >= 0) return bounded(milliseconds / 1000);
  const text = headers["retry-after"];
  if (typeof text !== "string" || text.trim() === "") return undefined;
  const seconds = Number(text);
  if (!Number.isNaN(seconds)) return seconds >= 0 ? bounded(seconds) : undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : bounded(Math.max(0, date - now) / 1000);
}

function bounded(seconds: number): number | undefined {
  return Number.isFinite(seconds) ? Math.min(Math.ceil(seconds), RETRY_AFTER_SECONDS_MAX) : undefined;
}

/** What providers call the error that they send in the midst of a stream, whose status is long sent. */
const OVERLOADED_NAMES = /overload|throttl|rate.?limit|too.?many|resource.?exhausted|service.?unavailable/i;
const REFUSED_NAMES = /authentication|permission|access.?denied|invalid|validation|not.?found|billing|quota/i;

/**
 * The error for whatever the SDK threw or sent as an error part. It takes a status or the name of the
 * kind from it and nothing else: messages, bodies and causes hold what the provider said, and what
 * was sent to it. `kinds` are names that came beside it.
 */
export function streamError(thrown: unknown, kinds: readonly string[] = []): FindlingError {
  const chain = causes(thrown);
  const own = chain.find((each) => each instanceof FindlingError);
  if (own !== undefined) return own;
  for (const each of chain) {
    const status = member(each, "statusCode");
    if (typeof status === "number" && status >= 300 && status < 600) return statusError(status);
  }
  const names = [...kinds, ...chain.flatMap(kindsOf)].join(" ");
  if (OVERLOADED_NAMES.test(names))
    return overloaded("the provider broke off as it is overloaded", undefined);
  if (REFUSED_NAMES.test(names)) return refused("the provider broke off as it refuses the request");
  return unavailable("the provider broke off, or its answer can't be read");
}

/** An error's own kind, or that of the event that the SDK could not place. */
function kindsOf(error: unknown): readonly unknown[] {
  const event = member(error, "value");
  return [error, member(error, "error"), event, member(event, "error")].flatMap((each) => [
    member(each, "type"),
    member(each, "code"),
  ]);
}

function causes(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let each = thrown; each !== undefined && each !== null; each = member(each, "cause")) {
    if (chain.includes(each) || chain.length === 10) break;
    chain.push(each);
  }
  return chain;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
