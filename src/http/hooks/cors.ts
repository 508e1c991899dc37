const FIXED_HEADERS = [
  "access-control-allow-methods",
  "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers",
  // `Authorization` by name: the wildcard does not cover it.
  "Authorization, Content-Type, Accept, X-Sc-User-Id, X-Sc-Session-Id, X-Sc-User-Type",
  "access-control-max-age",
  "86400",
] as const;

const ALLOW_ORIGIN = "access-control-allow-origin";
const ANY_ORIGIN: readonly string[] = [ALLOW_ORIGIN, "*", ...FIXED_HEADERS];
const NO_ORIGIN: readonly string[] = ["vary", "Origin", ...FIXED_HEADERS];

/**
 * The CORS headers of every answer, errors included (contract 1.3). With a list of origins, the
 * caller's own is named if it is on the list, and none otherwise, which makes browsers refuse.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** Names and values in turns; the same list where it says the same but for an origin on the list. */
  headersFor(origin: string | undefined): readonly string[] {
    if (this.#origins.has("*")) return ANY_ORIGIN;
    if (origin === undefined || !this.#origins.has(origin)) return NO_ORIGIN;
    return [ALLOW_ORIGIN, origin, ...NO_ORIGIN];
  }
}
