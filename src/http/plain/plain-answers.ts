import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { lengthOf, piecesOf, sendPieces } from "../answer-pieces.js";
import type { WrittenAnswer } from "../json-text.js";
import { JsonWriter } from "../json-writer.js";
import type { AnswerHead } from "../whole-answers.js";
import { HeadPatterns, headEnd, linesOf } from "./head-patterns.js";

/** Room before an answer; its head is shorter unless the page's address is very long. */
const HEAD_BYTES_MAX = 2_048;

/**
 * Answers wait for others of the same turn of the event loop. Once so long has passed from the arrival of the first
 * one's request, a few cheap searches, they wait for no more than what is being answered just then. Each that is sent by
 * itself wakes its reader, who has gone to sleep meanwhile.
 */
const HELD_MS_MAX = 0.4;
/** One that was made sooner doesn't wait if it is the first: its reader was awake a moment ago. */
const HELD_MS_LEAST = 0.03;
const HELD_MAX = 16;
const HELD_BYTES_MAX = 256 * 1024;

/** Whose answer it is. */
export interface AnsweredRequest {
  readonly connection: { readonly socket: Socket };
  readonly head: AnswerHead;
  /** By `performance.now`. */
  readonly arrivedMs: number;
}

interface HeldAnswer<Request> {
  readonly request: Request;
  readonly bytes: Buffer;
}

/** Writes answers to sockets as Node's server would on a connection that stays open. */
export class PlainAnswers<Request extends AnsweredRequest> {
  readonly #writer = new JsonWriter(HEAD_BYTES_MAX);
  /** What `Keep-Alive` says. */
  readonly #restingSeconds: number;
  readonly #heads: HeadPatterns;
  readonly #onSent: (request: Request) => void;
  readonly #now: () => number;
  #held: HeldAnswer<Request>[] = [];
  #heldBytes = 0;
  #isDue = false;

  /** @param onSent is told of every answer of `send`, once it was written to the socket or that was gone; never throws */
  constructor(
    restingMs: number,
    onSent: (request: Request) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#restingSeconds = Math.floor(restingMs / 1000);
    this.#heads = new HeadPatterns(this.#restingSeconds);
    this.#onSent = onSent;
    this.#now = now;
  }

  /**
   * A success, head and body by one call of the system, at the end of the turn.
   *
   * @param isAlone whether nobody else could be answered in the same turn
   * @throws what writing the answer throws; then nothing is sent
   */
  send(request: Request, answer: WrittenAnswer, isAlone: boolean): void {
    const held = this.#held;
    const writer = held.length === 0 ? this.#writer.clear() : this.#writer.another();
    answer.writeTo(writer);
    const head = this.#heads.headOf(request.head, writer.length);
    const bytes =
      head.length > HEAD_BYTES_MAX ? Buffer.concat([head, writer.take()]) : writer.behindBytes(head);
    held.push({ request, bytes });
    this.#heldBytes += bytes.length;
    const sinceMs = this.#heldMs();
    if (
      sinceMs >= HELD_MS_MAX ||
      (held.length === 1 && (isAlone || sinceMs < HELD_MS_LEAST)) ||
      held.length >= HELD_MAX ||
      this.#heldBytes >= HELD_BYTES_MAX
    ) {
      this.#sendHeld();
    } else if (!this.#isDue) {
      this.#isDue = true;
      // Comes right after all that has arrived has been looked at.
      setImmediate(this.#onEndOfTurn);
    }
  }

  /**
   * A success that is too long for `send`, in parts.
   *
   * @param onEnd is told once whether the system has taken all of it
   */
  sendParts(
    { connection: { socket }, head }: Request,
    parts: readonly Uint8Array[],
    onEnd: (areTaken: boolean) => void,
  ): void {
    const bytes = Buffer.from(this.#heads.headOf(head, lengthOf(parts)));
    sendPieces(socket, piecesOf([bytes, ...parts]), onEnd);
  }

  /** To be called between requests, of which some are answered later or otherwise: nobody waits for several of them. */
  sendOverdue(): void {
    if (this.#held.length > 0 && this.#heldMs() >= HELD_MS_MAX) this.#sendHeld();
  }

  /** How long ago the first held answer's request arrived. */
  #heldMs(): number {
    return this.#now() - this.#held[0]!.request.arrivedMs;
  }

  readonly #onEndOfTurn = (): void => {
    this.#isDue = false;
    this.#sendHeld();
  };

  #sendHeld(): void {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    let areTaken = true;
    for (const { request, bytes } of held) {
      const { socket } = request.connection;
      if (socket.destroyed) continue;
      socket.write(bytes);
      areTaken &&= socket.writableLength === 0;
    }
    // Before the next answer is written, which may be in `onSent`.
    if (!areTaken) this.#writer.renounce();
    for (const { request } of held) this.#onSent(request);
  }

  /** Any answer. @param headers names and values in turns */
  sendText(socket: Socket, status: number, headers: readonly string[], body: string | Buffer): void {
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${linesOf(headers)}content-length: `;
    const bytes = Buffer.from(body);
    socket.write(
      Buffer.concat([
        Buffer.from(`${head}${bytes.length}${headEnd(Date.now(), this.#restingSeconds)}`, "latin1"),
        bytes,
      ]),
    );
  }
}
