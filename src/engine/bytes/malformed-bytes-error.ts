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
    if (error instanceof MalformedBytesError)
      throw new CorruptionError(file, error.message, { cause: error });
    throw error;
  }
}
