import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { lengthOf, piecesOf, sendPieces } from "../answers/answer-pieces.js";
import { type AnswerHead, headersOf, JSON_TYPE, linesOf, type WrittenAnswer } from "../answers/envelope.js";
import { JsonWriter } from "../answers/json-writer.js";

/** Headroom before an answer; its head is shorter unless the page's address is very long. */
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
export class AnswerBatch<Request extends AnsweredRequest> {
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
    const bytes = head.length > HEAD_BYTES_MAX ? Buffer.concat([head, writer.take()]) : writer.behind(head);
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

  /** Any answer whose body is JSON. @param more headers beside those that every answer has; names and values in turns */
  sendText(
    { connection: { socket }, head }: Request,
    status: number,
    more: readonly string[],
    body: string | Buffer,
  ): void {
    const bytes = Buffer.from(body);
    const headers = [
      ...headersOf(head),
      "content-type",
      JSON_TYPE,
      ...more,
      "content-length",
      String(bytes.length),
    ];
    const start = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${linesOf(headers).slice(0, -2)}`;
    socket.write(
      Buffer.concat([Buffer.from(`${start}${headEnd(Date.now(), this.#restingSeconds)}`, "latin1"), bytes]),
    );
  }
}

/** The head of a success, with places for what the next one says itself. */
interface HeadPattern {
  readonly cors: readonly string[];
  /** Since 1970, as its date says. */
  readonly second: number;
  readonly bytes: Buffer;
  readonly idAt: number;
  readonly idLength: number;
  readonly lengthAt: number;
}

const ZERO = 0x30;

/** Makes heads of successes of the ones before, in which but the request's id and the body's length are put. */
export class HeadPatterns {
  /** What `Keep-Alive` says. */
  readonly #restingSeconds: number;
  /** By the digits of the body's length; null of another second. */
  readonly #patterns: (HeadPattern | null)[] = [];

  constructor(restingSeconds: number) {
    this.#restingSeconds = restingSeconds;
  }

  /** @returns ASCII, valid until the next head is asked for */
  headOf({ cors, requestId }: AnswerHead, bodyLength: number): Uint8Array {
    let digits = 1;
    for (let rest = bodyLength; rest >= 10; rest = Math.floor(rest / 10)) digits++;
    const second = Math.floor(Date.now() / 1000);
    let pattern = this.#patterns[digits];
    if (
      pattern === undefined ||
      pattern === null ||
      pattern.second !== second ||
      pattern.cors !== cors ||
      pattern.idLength !== requestId.length
    ) {
      pattern = this.#patternFor(cors, requestId, second, digits);
      while (this.#patterns.length <= digits) this.#patterns.push(null);
      this.#patterns[digits] = pattern;
    }
    const { bytes, idAt, idLength, lengthAt } = pattern;
    for (let i = 0; i < idLength; i++) bytes[idAt + i] = requestId.charCodeAt(i);
    let rest = bodyLength;
    for (let at = lengthAt + digits - 1; at >= lengthAt; at--) {
      const tens = Math.floor(rest / 10);
      bytes[at] = ZERO + rest - 10 * tens;
      rest = tens;
    }
    return bytes;
  }

  #patternFor(cors: readonly string[], requestId: string, second: number, digits: number): HeadPattern {
    const headers = [...headersOf({ cors, requestId }), "content-type", JSON_TYPE];
    const beforeId = `HTTP/1.1 200 OK\r\n${linesOf(cors)}x-request-id: `;
    const beforeLength = `\r\n${linesOf(headers.slice(cors.length + 2))}content-length: `;
    const end = headEnd(second * 1000, this.#restingSeconds);
    const bytes = Buffer.from(`${beforeId}${requestId}${beforeLength}${"0".repeat(digits)}${end}`, "latin1");
    const idAt = beforeId.length;
    const idLength = requestId.length;
    return { cors, second, bytes, idAt, idLength, lengthAt: idAt + idLength + beforeLength.length };
  }
}

/** What follows the length. */
export function headEnd(nowMs: number, restingSeconds: number): string {
  const date = new Date(nowMs).toUTCString();
  return `\r\nDate: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${restingSeconds}\r\n\r\n`;
}
