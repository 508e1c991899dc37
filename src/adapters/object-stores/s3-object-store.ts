import { setTimeout as wait } from "node:timers/promises";
import { FindlingError } from "../../errors/index.js";
import { checkObjectKey, type ObjectStore, type StoredObject } from "../../ports/object-store.js";
import { decodeListing } from "./s3-listing.js";

export interface S3Request {
  readonly url: string;
  readonly init: {
    readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
    readonly headers?: Record<string, string>;
    readonly body?: Uint8Array<ArrayBuffer>;
    readonly signal: AbortSignal;
  };
}

export interface S3Options {
  readonly bucket: string;
  /** What all keys begin with, without slashes at its ends; empty: nothing. */
  readonly prefix: string;
  /** Address of the bucket, without a slash at its end. */
  readonly base: string;
  /** Signs a request and sends it once. */
  readonly send: (request: S3Request) => Promise<Response>;
  /** Milliseconds before each further attempt. For tests. */
  readonly retryDelaysMs?: readonly number[];
}

/** After these the failure lasts: half a minute in all. */
const RETRY_DELAYS_MS: readonly number[] = [200, 800, 2_000, 5_000, 10_000, 10_000];
/** For a piece of 8 MiB over a slow line, and for a store that doesn't answer. */
const REQUEST_TIMEOUT_MS = 120_000;
/** What passes: too many requests, and what goes wrong in the store. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
/** Another write to the same key is under way (of conditional ones). */
const CONFLICT = 409;
const PRECONDITION_FAILED = 412;

/**
 * Objects in a bucket of Amazon S3 or of a store that speaks like it. Each body is signed with its SHA-256, so that the
 * store refuses what arrives otherwise. Conditional writes (`If-None-Match: *`) are S3's since August 2024.
 */
export class S3ObjectStore implements ObjectStore {
  readonly description: string;
  readonly #options: S3Options;
  readonly #prefix: string;

  constructor(options: S3Options) {
    this.#options = options;
    this.#prefix = options.prefix === "" ? "" : `${options.prefix}/`;
    this.description = `the bucket '${options.bucket}'`;
  }

  async put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    { ifAbsent = false }: { readonly ifAbsent?: boolean } = {},
  ): Promise<boolean> {
    const headers = {
      // Made on another thread: of a piece it takes long enough to keep requests waiting.
      "x-amz-content-sha256": Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex"),
      "content-type": "application/octet-stream",
      ...(ifAbsent && { "if-none-match": "*" }),
    };
    const answer = await this.#send({ method: "PUT", key, headers, body: bytes }, [PRECONDITION_FAILED]);
    await answer.body?.cancel();
    return answer.status !== PRECONDITION_FAILED;
  }

  async get(key: string): Promise<AsyncIterable<Uint8Array> | null> {
    const answer = await this.#send({ method: "GET", key }, [404]);
    if (answer.status === 404) {
      await answer.body?.cancel();
      return null;
    }
    const length = Number(answer.headers.get("content-length") ?? Number.NaN);
    return this.#bytesOf(key, answer, length);
  }

  async head(key: string): Promise<StoredObject | null> {
    const answer = await this.#send({ method: "HEAD", key }, [404]);
    if (answer.status === 404) return null;
    const bytes = Number(answer.headers.get("content-length"));
    const modifiedAtMs = Date.parse(answer.headers.get("last-modified") ?? "");
    if (!Number.isSafeInteger(bytes) || Number.isNaN(modifiedAtMs))
      throw this.#failure(`'${key}' is answered without its length or time`);
    return { key, bytes, modifiedAtMs };
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    let continuation: string | null = null;
    do {
      const query = new URLSearchParams({ "list-type": "2", prefix: this.#prefix + prefix });
      if (continuation !== null) query.set("continuation-token", continuation);
      const text = await this.#textOf({ method: "GET", query: query.toString() });
      const listing = decodeListing(text);
      if (listing === null) throw this.#failure("the list of objects can't be read");
      for (const { key, ...rest } of listing.objects) {
        if (key.startsWith(this.#prefix + prefix)) yield { key: key.slice(this.#prefix.length), ...rest };
      }
      continuation = listing.continuation;
    } while (continuation !== null);
  }

  async delete(key: string): Promise<void> {
    const answer = await this.#send({ method: "DELETE", key }, [404]);
    await answer.body?.cancel();
  }

  /** What arrived is less than was announced where the connection ended early. */
  async *#bytesOf(key: string, answer: Response, length: number): AsyncGenerator<Uint8Array> {
    let received = 0;
    try {
      for await (const chunk of answer.body ?? []) {
        received += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw this.#failure(`'${key}' arrives only in part`, error);
    }
    if (!Number.isNaN(length) && received !== length)
      throw this.#failure(`'${key}' arrives only in part: ${received} bytes of ${length}`);
  }

  /** A list is read whole in one attempt. */
  #textOf(request: { readonly method: "GET"; readonly query: string }): Promise<string> {
    return this.#attempt(async () => {
      const answer = await this.#once(request);
      if (answer.status !== 200) return answer;
      return { text: await answer.text() };
    }).then((result) => {
      if (result instanceof Response) throw this.#refusal("the list of objects is refused", result);
      return result.text;
    });
  }

  async #send(
    request: {
      readonly method: S3Request["init"]["method"];
      readonly key: string;
      readonly headers?: Record<string, string>;
      readonly body?: Uint8Array<ArrayBuffer>;
    },
    expected: readonly number[],
  ): Promise<Response> {
    checkObjectKey(request.key);
    const answer = await this.#attempt(() => this.#once(request));
    if (answer.ok || expected.includes(answer.status)) return answer;
    throw this.#refusal(`'${request.key}' is refused`, answer);
  }

  #once({
    method,
    key,
    query,
    headers,
    body,
  }: {
    readonly method: S3Request["init"]["method"];
    readonly key?: string;
    readonly query?: string;
    readonly headers?: Record<string, string>;
    readonly body?: Uint8Array<ArrayBuffer>;
  }): Promise<Response> {
    const path = key === undefined ? "" : `/${this.#prefix}${key}`;
    return this.#options.send({
      url: `${this.#options.base}${path}${query === undefined ? "" : `?${query}`}`,
      init: {
        method,
        ...(headers !== undefined && { headers }),
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      },
    });
  }

  /** All requests may be made again: puts of pieces are the same, and who puts a manifest looks whether it is its own. */
  async #attempt<T>(run: () => Promise<T>): Promise<T> {
    const delays = this.#options.retryDelaysMs ?? RETRY_DELAYS_MS;
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt === delays.length;
      try {
        const result = await run();
        const status = result instanceof Response ? result.status : 200;
        if (isLast || !(PASSING_STATUSES.has(status) || status === CONFLICT)) return result;
        if (result instanceof Response) await result.body?.cancel();
      } catch (error) {
        if (isLast) throw this.#failure("it can't be reached", error);
      }
      // Many that failed at once don't come back at once.
      await wait(delays[attempt]! * (0.5 + Math.random()));
    }
  }

  #refusal(problem: string, { status }: Response): FindlingError {
    const reason =
      status === 403
        ? "the credentials don't allow it"
        : status === 404
          ? "there is no such bucket"
          : `status ${status}`;
    return this.#failure(`${problem}: ${reason}`);
  }

  /** Without what the store said: it may quote the request's signature. */
  #failure(problem: string, cause?: unknown): FindlingError {
    return new FindlingError("storage_unavailable", `in ${this.description} ${problem}`, {
      ...(cause instanceof Error && { details: cause.message }),
      cause,
    });
  }
}
