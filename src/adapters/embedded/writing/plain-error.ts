import { systemErrorCode } from "../../../engine/server-door.js";
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
  /** What a `CorruptionError` names. */
  readonly file?: string;
  /** The operating system's, such as `ENOSPC`, where that is the cause. */
  readonly systemCode?: string;
}

export function toPlainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { code: null, message: String(error), stack: undefined };
  const { message, stack } = error;
  if (!(error instanceof FindlingError)) return { code: null, message, stack };
  const { code, details, items, retryAfterSeconds } = error;
  const systemCode = systemErrorCode(error.cause);
  return {
    code,
    message,
    stack,
    ...(details === undefined ? {} : { details }),
    ...(items === undefined ? {} : { items }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(systemCode === undefined ? {} : { systemCode }),
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

function revived(plain: PlainError): Error {
  const { code, message, details, items, retryAfterSeconds, file, systemCode } = plain;
  if (code === null) return new Error(message);
  const options = {
    ...(details === undefined ? {} : { details }),
    ...(items === undefined ? {} : { items }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(systemCode === undefined
      ? {}
      : { cause: Object.assign(new Error(systemCode), { code: systemCode }) }),
  };
  return file === undefined
    ? new FindlingError(code, message, options)
    : new CorruptionError(file, message, options);
}
