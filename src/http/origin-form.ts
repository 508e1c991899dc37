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
