/** Response headers by name; what Node's and Fastify's header setters take. */
export type Headers = Readonly<Record<string, string>>;

const FIXED_HEADERS: Headers = {
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  // `Authorization` by name: the wildcard does not cover it.
  "access-control-allow-headers":
    "Authorization, Content-Type, Accept, X-Sc-User-Id, X-Sc-Session-Id, X-Sc-User-Type",
  "access-control-max-age": "86400",
};

/**
 * The CORS headers of every answer, errors included (contract 1.3). With a list of origins, the
 * caller's own is named if it is on the list, and none otherwise, which makes browsers refuse.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #anyOrigin: Headers = { "access-control-allow-origin": "*", ...FIXED_HEADERS };
  readonly #anyOriginList: readonly string[] = Object.entries(this.#anyOrigin).flat();
  readonly #noOrigin: Headers = { vary: "Origin", ...FIXED_HEADERS };

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** The same as a list of names and values in turns, which Node takes without looking names up. */
  listFor(origin: string | undefined): readonly string[] {
    if (this.#origins.has("*")) return this.#anyOriginList;
    return Object.entries(this.headersFor(origin)).flat();
  }

  headersFor(origin: string | undefined): Headers {
    if (this.#origins.has("*")) return this.#anyOrigin;
    if (origin === undefined || !this.#origins.has(origin)) return this.#noOrigin;
    return { "access-control-allow-origin": origin, ...this.#noOrigin };
  }
}
