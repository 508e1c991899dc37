import type { IncomingMessage } from "node:http";

/** Scheme and authority of an absolute URI (RFC 3986, 3). */
const BEFORE_PATH = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * A request's target as everything here reads it, path and query: clients of proxies send `http://host/path`, which a
 * server takes as well (RFC 9112, 3.2.2), and routing, `Allow` and the masks of the log look for a path. `*` stays.
 */
export function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const path = target.replace(BEFORE_PATH, "");
  return path.startsWith("/") || path === "*" ? path : `/${path}`;
}

/** A name or address with or without a port (RFC 3986, 3.2); nothing, where a target has neither. */
const HOST = /^[\w.~!$&'()*+,;=:%[\]-]*$/;

/** Repeated ones may be read differently by a proxy on the way. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(["authorization", "host"]);

/**
 * Why a request that Node's parser takes isn't one of HTTP/1.x all the same (RFC 9112, 2.3 and 3.2), worded to follow
 * "the request"; null if it is.
 */
export function requestProblem({ rawHeaders, headers, httpVersion }: IncomingMessage): string | null {
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return `is of the unknown version HTTP/${httpVersion}`;
  const { host } = headers;
  // Which only older clients may leave out.
  if (host === undefined && httpVersion === "1.1") return "has no Host header";
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const written = rawHeaders[i]!;
    if (written.length !== "host".length && written.length !== "authorization".length) continue;
    const name = written.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return `has more than one ${name === "host" ? "Host" : "Authorization"} header`;
    seen.add(name);
  }
  return host === undefined || isHost(host) ? null : "has a Host header that is no host";
}

/** Whether the sender sends no other request over the connection (RFC 9112, 9.6). */
export function endsConnection({ headers, httpVersion }: IncomingMessage): boolean {
  const options = (headers.connection ?? "")
    .toLowerCase()
    .split(",")
    .map((option) => option.trim());
  return options.includes("close") || (httpVersion !== "1.1" && !options.includes("keep-alive"));
}

/** Whether the value of a `Host` header can be one; ASCII. */
export function isHost(value: string): boolean {
  return HOST.test(value);
}
