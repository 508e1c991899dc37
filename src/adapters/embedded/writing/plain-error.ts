import { CorruptionError, type ErrorCode, type ErrorItem, FindlingError } from "../../../errors/index.js";

/** An error as it travels between threads, where classes are lost. */
export interface PlainError {
  /** Null for what is no `FindlingError`. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly stack: string | undefined;
  readonly details?: string;
  readonly items?: readonly ErrorItem[];
  readonly retryAfterSeconds?: number;
  /** Of a `CorruptionError`. */
  readonly file?: string;
}

export function toPlainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { code: null, message: String(error), stack: undefined };
  const { message, stack } = error;
  if (!(error instanceof FindlingError)) return { code: null, message, stack };
  const { code, details, items, retryAfterSeconds } = error;
  return {
    code,
    message,
    stack,
    ...(details === undefined ? {} : { details }),
    ...(items === undefined ? {} : { items }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(error instanceof CorruptionError ? { file: error.file } : {}),
  };
}

/** The error with the stack that it had where it was thrown. */
export function fromPlainError(plain: PlainError): Error {
  const error = revived(plain);
  error.message = plain.message;
  if (plain.stack !== undefined) error.stack = plain.stack;
  return error;
}

function revived({ code, message, details, items, retryAfterSeconds, file }: PlainError): Error {
  if (code === null) return new Error(message);
  const options = {
    ...(details === undefined ? {} : { details }),
    ...(items === undefined ? {} : { items }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  return file === undefined
    ? new FindlingError(code, message, options)
    : new CorruptionError(file, message, options);
}
