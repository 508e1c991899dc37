import type { FastifyReply } from "fastify";
import { readableOf } from "./readable-of.js";

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
