import { CorruptionError } from "../../errors/index.js";

/**
 * Bytes that are not what their format promises. Thrown by what reads bytes without knowing which
 * file they come from; `readingFile` turns it into a `CorruptionError` that names the file.
 */
export class MalformedBytesError extends RangeError {
  constructor(problem: string) {
    super(problem);
    this.name = "MalformedBytesError";
  }
}

/** Runs `read`; a `MalformedBytesError` leaves it as a `CorruptionError` naming `file`. */
export function readingFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw namingFile(file, error);
  }
}

/** What is to be thrown instead: a `CorruptionError` for a `MalformedBytesError`, anything else as it is. */
export function namingFile(file: string, error: unknown): unknown {
  return error instanceof MalformedBytesError
    ? new CorruptionError(file, error.message, { cause: error })
    : error;
}
