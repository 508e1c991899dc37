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
