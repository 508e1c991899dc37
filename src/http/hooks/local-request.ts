import type { IncomingHttpHeaders } from "node:http";

/** Loopback addresses as Node writes them (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3 and 2.5.5.2). */
const LOOPBACK = /^(::ffff:)?127(\.\d{1,3}){3}$|^::1$/i;

/** A `Host` that names this machine to itself, with or without a port. */
const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** What proxies add. */
const FORWARDED: readonly string[] = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/**
 * Whether a request comes from a program on this machine that spoke to this server by its own name: not through a proxy
 * beside it, nor from a page whose domain was made to point here.
 */
export function isLocalRequest(headers: IncomingHttpHeaders, remoteAddress: string | undefined): boolean {
  if (remoteAddress === undefined || !LOOPBACK.test(remoteAddress)) return false;
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  const { host = "", origin } = headers;
  if (!LOCAL_HOST.test(host)) return false;
  return origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`;
}
