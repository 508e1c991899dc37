/** The bytes of one document as the file has them, before anything is read out of them. */
export interface RawRecord {
  /** Line of its first byte, from 1. */
  readonly line: number;
  readonly bytes: Uint8Array;
  /** Why it can't be a document, where its splitter knows already. */
  readonly problem?: string;
}

/**
 * Cuts a stream of bytes into records, wherever the chunks happen to break. Every chunk is pushed
 * once, in order, then `end` is called once.
 *
 * What can't be a record is one with a problem, and the next one is looked for behind it.
 */
export interface RecordSplitter {
  push(chunk: Uint8Array): readonly RawRecord[];
  end(): readonly RawRecord[];
}

/** A file whose bytes can't be unpacked on: unlike one bad record, that can't be skipped. */
export class MalformedInputError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = "MalformedInputError";
  }
}

/** The largest record: the server's default limit for a request that carries documents. */
export const RECORD_BYTES_MAX: number = 64 * 1024 * 1024;

/** The pieces of a record that began in an earlier chunk. */
export class PartialRecord {
  #pieces: Uint8Array[] = [];
  #length = 0;
  #isTooLong = false;

  /** True once the record has outgrown its limit. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  /** Adds a piece; a record that outgrows its limit keeps no more. */
  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    this.#isTooLong ||= this.#length > RECORD_BYTES_MAX;
    if (!this.#isTooLong) this.#pieces.push(piece);
  }

  /** The record that the piece completes, begun on that line; nothing is kept. One that is too long has no bytes. */
  complete(piece: Uint8Array, line: number): RawRecord {
    if (this.#length === 0) return { line, bytes: piece };
    this.add(piece);
    const bytes = this.#isTooLong ? new Uint8Array(0) : Buffer.concat(this.#pieces);
    const problem = this.#isTooLong ? TOO_LONG : undefined;
    this.#pieces = [];
    this.#length = 0;
    this.#isTooLong = false;
    return { line, bytes, ...(problem !== undefined && { problem }) };
  }
}

const TOO_LONG = `the document that begins here is longer than ${RECORD_BYTES_MAX / 1024 / 1024} MiB`;
