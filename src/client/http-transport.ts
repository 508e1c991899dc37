import { FindlingClientError } from "./findling-client-error.js";
import { membersOf, readErrorAnswer, readFetchFailure } from "./read-error-answer.js";

export interface FindlingClientOptions {
  /** Origin of the server, such as `http://127.0.0.1:8000`; a path prefix is kept, trailing slashes are not. */
  readonly url: string;
  /** Sent as `Authorization`; not needed where the server runs without authentication. */
  readonly key?: string | undefined;
  /** For every request that doesn't say its own; default 30,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether integers beyond ±(2^53−1) in answers keep all their digits, as `bigint`s. Default false: as numbers they
   * are rounded, as `JSON.parse` does. Requests may hold `bigint`s anyhow.
   */
  readonly exactIntegers?: boolean | undefined;
  /** Stands in for the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface SendOptions extends RequestOptions {
  /** Members of the URL: those without a value are left out, the entries of a list joined by `|`. */
  readonly query?: object;
}

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A body already in JSON, sent as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** Digits in a row that an integer beyond ±(2^53−1) has at least. */
const MAYBE_LONG = /\d{16}/;

/** Sends requests and opens the envelopes of their answers. What reads and writes long integers is loaded when one is met. */
export class HttpTransport {
  readonly #url: string;
  readonly #key: string | undefined;
  readonly #timeoutMs: number;
  readonly #isExact: boolean;
  readonly #fetch: typeof globalThis.fetch;

  constructor(options: FindlingClientOptions) {
    this.#url = options.url.replace(/\/+$/, "");
    this.#key = options.key;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#isExact = options.exactIntegers === true;
    // Browsers refuse a fetch that is called as a method of something else.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /**
   * The answer's `data`. Path segments are encoded here.
   *
   * @throws FindlingClientError for every answer that isn't a success, and where none came
   */
  request<Data>(
    method: HttpMethod,
    segments: readonly string[],
    body: unknown,
    options?: SendOptions,
  ): Promise<Data> {
    return this.#send(method, segments, body, options, async (response) => {
      const { data } = membersOf(await this.#read(response));
      if (data === undefined) {
        throw new FindlingClientError({
          status: response.status,
          code: "not_findling",
          message: `the answer from ${this.#url} is not from a findling server`,
        });
      }
      return data as Data;
    });
  }

  /**
   * The bytes of an answer that is a file or a stream, to GET or, with a body, to POST. The timeout is for its
   * head; aborting ends it at any time.
   *
   * @throws FindlingClientError as `request`
   */
  download(
    segments: readonly string[],
    options: SendOptions & { readonly body?: object } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const { body } = options;
    // Without a body of its own only where there is nothing to tell.
    return this.#send(
      body ? "POST" : "GET",
      segments,
      body,
      options,
      (response) => response.body ?? new Blob([]).stream(),
    );
  }

  /** What `open` makes of a successful answer; the timeout ends with that. */
  async #send<Result>(
    method: HttpMethod,
    segments: readonly string[],
    body: unknown,
    options: SendOptions = {},
    open: (response: Response) => Result | Promise<Result>,
  ): Promise<Result> {
    const headers: Record<string, string> = { Accept: "application/json" };
    if (this.#key !== undefined) headers["Authorization"] = this.#key;
    const init: RequestInit = { method, headers, redirect: "error" };
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
      init.body = await textOf(body);
    }
    const query = urlQueryOf(options.query ?? {});
    const url = `${this.#url}/${segments.map(encodeURIComponent).join("/")}${query.size ? `?${query}` : ""}`;
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException("too late", "TimeoutError")), timeoutMs);
    init.signal = options.signal ? AbortSignal.any([late.signal, options.signal]) : late.signal;
    try {
      const response = await this.#fetch(url, init);
      if (!response.ok) throw readErrorAnswer(response, await this.#read(response));
      return await open(response);
    } catch (failure) {
      throw failure instanceof FindlingClientError
        ? failure
        : readFetchFailure(failure, this.#url, timeoutMs, this.#key);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The body as JSON; undefined if it is something else. */
  async #read(response: Response): Promise<unknown> {
    const text = await response.text();
    const read = this.#isExact && MAYBE_LONG.test(text) ? (await exactJson()).readJson : JSON.parse;
    try {
      return read(text) as unknown;
    } catch {
      return undefined;
    }
  }
}

function urlQueryOf(query: object): URLSearchParams {
  const members = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (value !== undefined) members.set(name, Array.isArray(value) ? value.join("|") : String(value));
  }
  return members;
}

async function textOf(body: unknown): Promise<string> {
  if (body instanceof JsonText) return body.text;
  try {
    return JSON.stringify(body);
  } catch {
    // A `bigint` is in it, or what can't be written at all, which is told then.
    return (await exactJson()).writeJson(body);
  }
}

function exactJson(): Promise<typeof import("./exact-json.js")> {
  return import("./exact-json.js");
}
