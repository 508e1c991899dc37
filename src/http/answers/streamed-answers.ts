import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/** An answer that is a file, sent as it is made, in place of an envelope. */
export class ByteStream {
  /** With its parameters. */
  readonly contentType: string;
  /** What a browser saves it as. */
  readonly fileName: string;
  readonly chunks: AsyncIterable<Uint8Array>;

  constructor(file: {
    readonly contentType: string;
    readonly fileName: string;
    readonly chunks: AsyncIterable<Uint8Array>;
  }) {
    this.contentType = file.contentType;
    this.fileName = file.fileName;
    this.chunks = file.chunks;
  }
}

/**
 * Sends the file. The head leaves with the first bytes, so that what goes wrong before them is answered
 * as an error; after them, the connection breaks, and nobody takes the file for whole.
 */
export async function sendByteStream(reply: FastifyReply, file: ByteStream): Promise<FastifyReply> {
  const chunks = file.chunks[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (reply.raw.destroyed) {
    await chunks.return?.();
    return reply;
  }
  return reply
    .headers({
      "content-type": file.contentType,
      "content-disposition": `attachment; filename="${file.fileName}"`,
    })
    .send(readableOf(first, chunks));
}

/** An answer that is plain text, sent as it is made, in place of an envelope. */
export class TextStream {
  /** Its pieces; with the signal's abort, which is the reader's leaving, they end. */
  readonly pieces: (signal: AbortSignal) => AsyncIterable<string>;
  /** With its parameters. */
  readonly contentType: string;

  constructor(
    pieces: (signal: AbortSignal) => AsyncIterable<string>,
    contentType = "text/plain; charset=utf-8",
  ) {
    this.pieces = pieces;
    this.contentType = contentType;
  }
}

/**
 * Sends the text. The head leaves with the first piece, so that what goes wrong before it is answered as an
 * error; after it the connection breaks, and nobody takes the text for whole.
 */
export async function sendTextStream(reply: FastifyReply, stream: TextStream): Promise<FastifyReply> {
  const left = new AbortController();
  reply.raw.once("close", () => left.abort());
  if (reply.raw.destroyed) left.abort();
  const pieces = stream.pieces(left.signal)[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (left.signal.aborted) return reply;
  return reply
    .headers({ "content-type": stream.contentType, "cache-control": "no-cache, no-transform" })
    .send(readableOf(first, pieces));
}

/**
 * What is sent where its first piece has been waited for already: that one, and then the rest, of which no more is
 * asked for than the socket takes.
 */
export function readableOf<Piece extends string | Uint8Array>(
  first: IteratorResult<Piece, unknown>,
  rest: AsyncIterator<Piece, unknown>,
): Readable {
  return Readable.from(rejoined(first, rest), { objectMode: false, highWaterMark: 1 });
}

async function* rejoined<Piece>(
  first: IteratorResult<Piece, unknown>,
  rest: AsyncIterator<Piece, unknown>,
): AsyncGenerator<Piece, void, undefined> {
  try {
    for (let step = first; step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}
