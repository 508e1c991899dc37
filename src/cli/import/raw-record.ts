/** The bytes of one document as the file has them, before anything is read out of them. */
export interface RawRecord {
  /** Line of its first byte, from 1. */
  readonly line: number;
  readonly bytes: Uint8Array;
}

/**
 * Cuts a stream of bytes into records, wherever the chunks happen to break. Every chunk is pushed
 * once, in order, then `end` is called once.
 *
 * @throws MalformedInputError where no further record can be found
 */
export interface RecordSplitter {
  push(chunk: Uint8Array): readonly RawRecord[];
  end(): readonly RawRecord[];
}

/** Input that can't be read on: unlike one bad record, it can't be skipped. */
export class MalformedInputError extends Error {
  readonly line: number;

  constructor(line: number, problem: string) {
    super(problem);
    this.name = "MalformedInputError";
    this.line = line;
  }
}

/** The largest record: the server's default limit for a request that carries documents. */
export const RECORD_BYTES_MAX: number = 64 * 1024 * 1024;

/** The pieces of a record that began in an earlier chunk. */
export class PartialRecord {
  #pieces: Uint8Array[] = [];
  #length = 0;
  #line = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** @throws MalformedInputError if the record outgrows its limit */
  add(piece: Uint8Array, line: number): void {
    if (piece.length === 0) return;
    if (this.#length === 0) this.#line = line;
    this.#length += piece.length;
    if (this.#length > RECORD_BYTES_MAX) {
      throw new MalformedInputError(
        this.#line,
        `the document that begins here is longer than ${RECORD_BYTES_MAX / 1024 / 1024} MiB`,
      );
    }
    this.#pieces.push(piece);
  }

  /** The record that the piece completes; nothing is kept. */
  complete(piece: Uint8Array): Uint8Array {
    if (this.#length === 0) return piece;
    const whole = new Uint8Array(this.#length + piece.length);
    let offset = 0;
    for (const earlier of this.#pieces) {
      whole.set(earlier, offset);
      offset += earlier.length;
    }
    whole.set(piece, offset);
    this.#pieces = [];
    this.#length = 0;
    return whole;
  }
}

/** How many bytes of a byte order mark the input begins with. */
export function byteOrderMarkLength(start: Uint8Array): number {
  return start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0;
}
