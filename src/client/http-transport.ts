import { readJson, writeJson } from "../json/exact-json.js";
import { FindlingClientError } from "./findling-client-error.js";
import { readErrorAnswer, readFetchFailure } from "./read-error-answer.js";

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

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A body already in JSON, sent as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** Sends one request and opens its envelope. */
export class HttpTransport {
  readonly #url: string;
  readonly #key: string | undefined;
  readonly #timeoutMs: number;
  readonly #fetch: typeof globalThis.fetch;
  readonly #read: (text: string) => unknown;

  constructor(options: FindlingClientOptions) {
    this.#url = options.url.replace(/\/+$/, "");
    this.#key = options.key;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#read = options.exactIntegers === true ? readJson : JSON.parse;
    // Browsers refuse a fetch that is called as a method of something else.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /**
   * The answer's `data`. Path segments are encoded here.
   *
   * @throws FindlingClientError for every answer that isn't a success, and where none came
   */
  async request<Data>(
    method: HttpMethod,
    segments: readonly string[],
    body: unknown,
    options: RequestOptions & { readonly query?: Readonly<Record<string, string>> } = {},
  ): Promise<Data> {
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
    const headers = this.#headers();
    const init: RequestInit = { method, headers, signal, redirect: "error" };
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
      init.body = body instanceof JsonText ? body.text : writeJson(body);
    }
    const url = this.#address(segments, options.query);
    let response: Response;
    let text: string;
    try {
      response = await this.#fetch(url, init);
      text = await response.text();
    } catch (failure) {
      throw readFetchFailure(failure, this.#url, timeoutMs);
    }
    const envelope = this.#parsed(text);
    if (!response.ok) throw readErrorAnswer(response, envelope);
    if (typeof envelope !== "object" || envelope === null || !("data" in envelope)) {
      throw new FindlingClientError({
        status: response.status,
        code: "not_findling",
        message: `the answer from ${this.#url} is not from a findling server`,
      });
    }
    return envelope.data as Data;
  }

  /**
   * The bytes of an answer that is a file or a stream, to GET or, with a body, to POST. The timeout is for its
   * head; aborting ends it at any time.
   *
   * @throws FindlingClientError as `request`
   */
  async download(
    segments: readonly string[],
    options: RequestOptions & {
      readonly query?: Readonly<Record<string, string>>;
      readonly body?: object;
    } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException("too late", "TimeoutError")), timeoutMs);
    const signal =
      options.signal === undefined ? late.signal : AbortSignal.any([late.signal, options.signal]);
    const url = this.#address(segments, options.query);
    const headers = this.#headers();
    const init: RequestInit = { headers, signal, redirect: "error" };
    if (options.body !== undefined) {
      headers["Content-Type"] = "application/json";
      Object.assign(init, { method: "POST", body: JSON.stringify(options.body) });
    }
    let response: Response;
    try {
      response = await this.#fetch(url, init);
      if (!response.ok) throw readErrorAnswer(response, this.#parsed(await response.text()));
    } catch (failure) {
      throw failure instanceof FindlingClientError
        ? failure
        : readFetchFailure(failure, this.#url, timeoutMs);
    } finally {
      clearTimeout(timer);
    }
    // Without a body only where there is nothing to tell.
    return response.body ?? new Blob([]).stream();
  }

  #parsed(text: string): unknown {
    try {
      return this.#read(text);
    } catch {
      return undefined;
    }
  }

  #headers(): Record<string, string> {
    const headers: Record<string, string> = { Accept: "application/json" };
    if (this.#key !== undefined) headers["Authorization"] = this.#key;
    return headers;
  }

  #address(segments: readonly string[], query: Readonly<Record<string, string>> | undefined): string {
    const search = new URLSearchParams(query).toString();
    const path = segments.map(encodeURIComponent).join("/");
    return `${this.#url}/${path}${search === "" ? "" : `?${search}`}`;
  }
}
