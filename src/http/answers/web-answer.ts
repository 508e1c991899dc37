import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { FastifyReply } from "fastify";

/** An answer of another protocol over HTTP, sent as it is, in place of an envelope. */
export class WebAnswer {
  readonly response: Response;

  constructor(response: Response) {
    this.response = response;
  }
}

/** Sends status, headers and body; what all answers say (`headersOf`) stays. */
export function sendWebAnswer(reply: FastifyReply, { response }: WebAnswer): FastifyReply {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  const { body } = response;
  return reply.send(body === null ? null : Readable.fromWeb(body as ReadableStream));
}
