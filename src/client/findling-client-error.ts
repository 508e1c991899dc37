/** One problem among several, with the place it was found at, such as `[3].rating`. */
export interface FindlingErrorItem {
  readonly path: string;
  readonly message: string;
}

export interface FindlingClientErrorInit {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: string | undefined;
  readonly errors?: readonly FindlingErrorItem[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A request that did not succeed. `status` is the HTTP status and `code` the server's stable
 * identifier; where no usable answer came, `status` is 0 or the answer's, and `code` one of:
 * `unreachable` (nothing was sent), `connection_lost` (sent, and perhaps carried out), `timeout`
 * (likewise), `aborted` (by the caller's own signal, likewise), `not_findling` (an answer of another kind).
 */
export class FindlingClientError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: string | undefined;
  readonly errors: readonly FindlingErrorItem[];
  /** Seconds that the server asks to wait before trying again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(init: FindlingClientErrorInit) {
    super(init.message, init);
    this.name = "FindlingClientError";
    this.status = init.status;
    this.code = init.code;
    this.details = init.details;
    this.errors = init.errors ?? [];
    this.retryAfterSeconds = init.retryAfterSeconds;
  }
}
