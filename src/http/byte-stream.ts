import type { FastifyReply } from "fastify";
import { readableOf } from "./readable-of.js";

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
