import { lookup as systemLookup } from "node:dns/promises";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isForbiddenAddress } from "./forbidden-addresses.js";
import { refused, retryAfterOf, statusError, unavailable } from "./model-errors.js";
import { responseBody } from "./response-body.js";

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name, as the system resolves it; rejects if there are none. */
export type HostLookup = (hostname: string) => Promise<readonly HostAddress[]>;

export const lookupBySystem: HostLookup = (hostname) => systemLookup(hostname, { all: true });

export interface GuardedFetchOptions {
  /** Requests go to this origin and below this path only. It holds no user, query or fragment. */
  readonly base: URL;
  readonly lookup: HostLookup;
  /** Ends the request and closes its connection. */
  readonly signal: AbortSignal;
}

const HEADER_BYTES_MAX = 16 * 1024;
/** Several times the events of the longest answer that a summary may have. */
const RESPONSE_BYTES_MAX = 32 * 1024 * 1024;

/**
 * The one way out to a provider (docs/adr/0013): a `fetch` that stays below its base URL, resolves
 * the name once, connects to the very addresses that it checked, follows no redirect, and takes
 * headers and bodies up to a size. Each call opens a connection of its own and closes it.
 *
 * It rejects with the FindlingError of the port for every answer but 2xx, whose body is not read.
 */
export function guardedFetch(options: GuardedFetchOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const url = requireBelow(options.base, input);
    const addresses = await checkedAddresses(url, options);
    options.signal.throwIfAborted();
    const response = await answerTo(url, init, addresses, options.signal);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) {
      response.destroy();
      throw statusError(status, retryAfterOf(response.headers, Date.now()));
    }
    if (status === 204 || status === 205 || !isPlain(response)) {
      response.destroy();
      throw unavailable("the provider's answer has no body that can be read");
    }
    return new Response(responseBody(response, RESPONSE_BYTES_MAX), {
      status,
      headers: pairsOf(response.rawHeaders),
    });
  };
}

function requireBelow(base: URL, input: unknown): URL {
  if (typeof input !== "string") throw new TypeError("the SDK is expected to name its URL as a text");
  const url = new URL(input);
  const folder = base.pathname.endsWith("/") ? base.pathname : `${base.pathname}/`;
  if (url.origin !== base.origin || !url.pathname.startsWith(folder)) {
    throw refused("the model's name leads out of the provider's base URL");
  }
  return url;
}

async function checkedAddresses(
  url: URL,
  { lookup, signal }: GuardedFetchOptions,
): Promise<readonly HostAddress[]> {
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  // An address was written out by whoever allowed the URL.
  const family = isIP(hostname);
  if (family !== 0) return [{ address: hostname, family }];
  const addresses = await unlessAborted(lookup(hostname), signal).catch(() => {
    signal.throwIfAborted();
    throw unavailable("the provider's name can't be resolved");
  });
  if (addresses.length === 0) throw unavailable("the provider's name can't be resolved");
  if (addresses.some(({ address }) => isIP(address) === 0 || isForbiddenAddress(address))) {
    throw unavailable("the provider's name leads to an address that no provider can have");
  }
  return addresses;
}

/** The name is not resolved again: whatever connects is given what was checked. */
function fixedLookup(addresses: readonly HostAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    if (all === true) done(null, [...addresses]);
    else done(null, addresses[0]!.address, addresses[0]!.family);
  };
}

function answerTo(
  url: URL,
  init: RequestInit | undefined,
  addresses: readonly HostAddress[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const body = init?.body;
    if (typeof body !== "string") throw new TypeError("only requests with a text are sent to a provider");
    const content = Buffer.from(body);
    const headers = Object.fromEntries(new Headers(init?.headers));
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request = send(url, {
      method: init?.method ?? "GET",
      headers: { ...headers, "accept-encoding": "identity", "content-length": content.length },
      agent: false,
      lookup: fixedLookup(addresses),
      maxHeaderSize: HEADER_BYTES_MAX,
    });
    closeOnAbort(request, signal);
    request.on("response", resolve);
    request.on("error", (error: NodeJS.ErrnoException) => {
      reject(signal.aborted ? signal.reason : unavailable(connectionProblem(error)));
    });
    request.end(content);
  });
}

function closeOnAbort(request: ClientRequest, signal: AbortSignal): void {
  const close = (): void => {
    request.destroy();
  };
  signal.addEventListener("abort", close, { once: true });
  request.on("close", () => signal.removeEventListener("abort", close));
}

/** The system's own codes are constants; its messages may quote what was sent. */
function connectionProblem({ code }: NodeJS.ErrnoException): string {
  if (code === undefined) return "the connection failed";
  return /CERT|SIGNATURE/.test(code)
    ? `the provider's certificate is not trusted (${code})`
    : `the connection failed (${code})`;
}

function isPlain({ headers }: IncomingMessage): boolean {
  const encoding = headers["content-encoding"]?.trim().toLowerCase();
  return encoding === undefined || encoding === "" || encoding === "identity";
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) pairs.push([rawHeaders[at]!, rawHeaders[at + 1]!]);
  return pairs;
}

/** What was promised, or the reason of the abort, whichever comes first. */
export function unlessAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
