import type { ServerResponse } from "node:http";
import { lengthOf, piecesOf, sendPieces } from "./answer-pieces.js";
import type { WrittenAnswer } from "./json-text.js";
import { JsonWriter } from "./json-writer.js";
import { JSON_TYPE } from "./success-answer.js";
import type { UnreadAnswers } from "./unread-answers.js";

/** Longer heads go Node's way. */
const HEAD_BYTES_MAX = 2_048;

/** What the head of an answer says beside what all of them say. */
export interface AnswerHead {
  /** Of CORS, names and values in turns; the same list if it says the same. */
  readonly cors: readonly string[];
  readonly requestId: string;
}

/** Names and values in turns. */
export function headersOf({ cors, requestId }: AnswerHead): string[] {
  return [...cors, "x-request-id", requestId, "x-content-type-options", "nosniff", "content-type", JSON_TYPE];
}

/**
 * What Node's own class keeps to itself, or has others only read. Its server goes on with the connection at the
 * `finish` that is emitted here in place of the class. Seen to hold on Node 20 to 26
 * (`tests/wire/direct-connections.test.ts`).
 */
interface ResponseInside extends ServerResponse {
  _header: string | null;
  _headerSent: boolean;
}

/**
 * Answers that have left by the call of a `WholeAnswers`. Of those Node's class doesn't say `writableFinished` from
 * release 24 on, where it is no longer told from the socket.
 */
const LEFT = new WeakSet<ServerResponse>();

/** Whether the caller has got all of an answer, as far as the system knows. */
export function hasLeft(response: ServerResponse): boolean {
  return response.writableFinished || LEFT.has(response);
}

/** The head of one answer with places for what the next one says itself. */
interface HeadPattern {
  readonly cors: readonly string[];
  /** The `Date` in it is good as long. */
  readonly second: number;
  readonly beforeId: string;
  readonly beforeLength: string;
  readonly afterLength: string;
}

/**
 * Sends answers head and body in one piece by one call of the system, where Node sends each piece by itself
 * and makes every head anew. Whatever isn't a plain answer on a connection that stays open goes Node's way.
 */
export class WholeAnswers {
  readonly #writer = new JsonWriter(HEAD_BYTES_MAX);
  readonly #unread: UnreadAnswers;
  #pattern: HeadPattern | null = null;

  constructor(unread: UnreadAnswers) {
    this.#unread = unread;
  }

  /** @throws what writing the answer throws; then nothing has been sent */
  send(response: ServerResponse, head: AnswerHead, answer: WrittenAnswer): void {
    if (response.destroyed) return;
    const parts = answer.parts();
    if (parts !== null) {
      this.#sendParts(response, head, parts);
      return;
    }
    const writer = this.#writer.clear();
    answer.writeTo(writer);
    const { socket } = response;
    const text = this.#headOf(response, head, writer.length);
    // Without a socket it waits for the answers of requests before it.
    if (socket === null || !socket.writable || !response.shouldKeepAlive || text.length > HEAD_BYTES_MAX) {
      response.end(writer.take());
      return;
    }
    const inside = response as ResponseInside;
    inside._headerSent = true;
    inside.finished = true;
    socket.write(writer.behind(text), (error) => {
      if (error !== null && error !== undefined) return;
      LEFT.add(response);
      // Node's server goes on with the connection then.
      response.emit("finish");
    });
    if (socket.writableLength === 0) return;
    writer.renounce();
    this.#unread.follow(response);
  }

  #sendParts(response: ServerResponse, head: AnswerHead, parts: readonly Uint8Array[]): void {
    const length = lengthOf(parts);
    response.writeHead(200, [...headersOf(head), "content-length", String(length)]);
    const forget = this.#unread.add(response.req.socket, length);
    sendPieces(response, piecesOf(parts), (areTaken) => {
      forget();
      if (areTaken) response.end();
    });
  }

  /** The head as it is sent, which the response knows of afterwards. */
  #headOf(response: ServerResponse, head: AnswerHead, length: number): string {
    const inside = response as ResponseInside;
    const second = Math.floor(Date.now() / 1000);
    const pattern = this.#pattern;
    if (response.shouldKeepAlive && pattern?.second === second && pattern.cors === head.cors) {
      const { beforeId, beforeLength, afterLength } = pattern;
      inside._header = beforeId + head.requestId + beforeLength + length + afterLength;
      return inside._header;
    }
    response.writeHead(200, [...headersOf(head), "content-length", String(length)]);
    const text = inside._header ?? "";
    if (response.shouldKeepAlive) this.#pattern = patternOf(text, head, second);
    return text;
  }
}

const ID = "x-request-id: ";
const LENGTH = "content-length: ";

function patternOf(text: string, { cors, requestId }: AnswerHead, second: number): HeadPattern {
  const id = text.indexOf(ID) + ID.length;
  const length = text.indexOf(LENGTH) + LENGTH.length;
  return {
    cors,
    second,
    beforeId: text.slice(0, id),
    beforeLength: text.slice(id + requestId.length, length),
    afterLength: text.slice(text.indexOf("\r\n", length)),
  };
}
