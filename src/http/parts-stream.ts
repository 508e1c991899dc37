import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { lengthOf, piecesOf } from "./answer-pieces.js";
import { JSON_TYPE } from "./success-answer.js";
import type { UnreadAnswers } from "./unread-answers.js";

/** Sends a success of `WrittenAnswer.parts` by the framework, a piece in each turn of the event loop. */
export function sendParts(
  reply: FastifyReply,
  parts: readonly Uint8Array[],
  unread: UnreadAnswers,
): FastifyReply {
  if (reply.raw.destroyed) return reply;
  const length = lengthOf(parts);
  reply.raw.once("close", unread.add(reply.raw.req.socket, length));
  const pieces = Readable.from(inTurns(parts), { objectMode: false, highWaterMark: 1 });
  return reply.type(JSON_TYPE).header("content-length", length).send(pieces);
}

async function* inTurns(parts: readonly Uint8Array[]): AsyncGenerator<Buffer, void, undefined> {
  for (const piece of piecesOf(parts)) {
    yield piece;
    await new Promise((resume) => setImmediate(resume));
  }
}
