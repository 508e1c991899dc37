import type { ErrorCode } from "./error-codes.js";

/** One problem among several, with the place it was found at, such as `[3].rating`. */
export interface ErrorItem {
  readonly path: string;
  readonly message: string;
}

export interface FindlingErrorOptions {
  /** One more sentence for the caller, such as the first invalid document's problem. */
  readonly details?: string;
  readonly items?: readonly ErrorItem[];
  readonly cause?: unknown;
  /** Seconds after which trying again makes sense; becomes the `Retry-After` header. */
  readonly retryAfterSeconds?: number;
}

/**
 * Anything that can go wrong and that a caller should hear about. The message starts in lower case,
 * has no full stop, says what was wrong and how to mend it, and never holds a secret.
 */
export class FindlingError extends Error {
  readonly code: ErrorCode;
  readonly details: string | undefined;
  readonly items: readonly ErrorItem[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: FindlingErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "FindlingError";
    this.code = code;
    this.details = options.details;
    this.items = options.items;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** A file on disk that is cut, flipped or missing. Its message names the file. Never answered by emptying anything. */
export class CorruptionError extends FindlingError {
  readonly file: string;

  constructor(file: string, problem: string, options: FindlingErrorOptions = {}) {
    super("storage_corrupt", `file '${file}' is damaged: ${problem}`, options);
    this.name = "CorruptionError";
    this.file = file;
  }
}
