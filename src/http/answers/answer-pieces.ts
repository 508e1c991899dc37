import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { JSON_TYPE } from "./envelope.js";
import type { UnreadAnswers } from "./unread-answers.js";

/** Answers of more bytes are sent in pieces; shorter ones are made and sent in one go. */
export const WHOLE_BYTES_MAX: number = 1024 * 1024;

/** What is copied, and handed to the system, in one turn of the event loop. */
export const PIECE_BYTES: number = 256 * 1024;

/** How long all parts are together. */
export function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** The bytes of parts that follow each other, in pieces of `PIECE_BYTES` in memory of their own; the last may be shorter. */
export function* piecesOf(
  parts: readonly Uint8Array[],
  pieceBytes: number = PIECE_BYTES,
): Generator<Buffer, void, undefined> {
  let left = lengthOf(parts);
  let piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, left));
  let filled = 0;
  for (const part of parts) {
    for (let start = 0; start < part.length; ) {
      const end = Math.min(part.length, start + piece.length - filled);
      piece.set(part.subarray(start, end), filled);
      filled += end - start;
      start = end;
      if (filled < piece.length) continue;
      left -= filled;
      yield piece;
      piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, left));
      filled = 0;
    }
  }
}

/** Where pieces go: a socket, or a response of Node's. */
export interface PieceTarget {
  readonly destroyed: boolean;
  write(piece: Uint8Array, onTaken: (error?: Error | null) => void): unknown;
  once(event: "close", listener: () => void): unknown;
  off(event: "close", listener: () => void): unknown;
}

/**
 * Writes pieces one by one: the next one is asked for once the system has taken the one before and what else has
 * happened meanwhile has had its turn, so that neither a large answer nor a reader who takes it fast keeps others
 * waiting, and a slow reader's pieces don't pile up.
 *
 * @param onEnd is told once whether all have been taken; not so where the target has closed before
 */
export function sendPieces(
  target: PieceTarget,
  pieces: Iterator<Uint8Array, void, undefined>,
  onEnd: (areTaken: boolean) => void,
): void {
  let isOver = false;
  const end = (areTaken: boolean): void => {
    if (isOver) return;
    isOver = true;
    target.off("close", onClose);
    onEnd(areTaken);
  };
  const onClose = (): void => end(false);
  const onTaken = (error?: Error | null): void => {
    if (error === null || error === undefined) setImmediate(next);
    else end(false);
  };
  const next = (): void => {
    if (isOver) return;
    if (target.destroyed) {
      end(false);
      return;
    }
    const step = pieces.next();
    if (step.done === true) end(true);
    else target.write(step.value, onTaken);
  };
  target.once("close", onClose);
  next();
}

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
