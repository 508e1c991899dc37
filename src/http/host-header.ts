import type { IncomingMessage } from "node:http";

/** A name or address with or without a port (RFC 3986, 3.2); nothing, where a target has neither. */
const HOST = /^[\w.~!$&'()*+,;=:%[\]-]*$/;

/**
 * What is wrong with the `Host` of a request, worded to follow "the request"; null if nothing. Two of them may be read
 * differently by a proxy on the way, and so is refused what isn't one (RFC 9112, 3.2).
 */
export function hostProblem({ rawHeaders, headers, httpVersion }: IncomingMessage): string | null {
  const { host } = headers;
  // Which only older clients may leave out.
  if (host === undefined) return httpVersion === "1.1" ? "has no Host header" : null;
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  if (count > 1) return "has more than one Host header";
  return isHost(host) ? null : "has a Host header that is no host";
}

/** Whether the value of a `Host` header can be one; ASCII. */
export function isHost(value: string): boolean {
  return HOST.test(value);
}
