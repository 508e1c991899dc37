import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Where an answer goes. */
export type AnswerSocket = Pick<Socket, "destroy">;

interface UnreadAnswer {
  readonly socket: AnswerSocket;
  readonly bytes: number;
}

/**
 * The answers that are made but not sent, because their readers take their time: they stay in memory until the system
 * has all of them. Where they are too much together, those who have been reading for longest are cut off; refusing new
 * ones instead would let a few idle readers keep all others from being answered.
 */
export class UnreadAnswers {
  readonly #bytesMax: number;
  /** The oldest first. */
  readonly #answers = new Set<UnreadAnswer>();
  #bytes = 0;

  /** @param bytesMax of all together; one by itself may be larger */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** What all of them take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns to be called once all of the answer has been taken, or its connection has closed; again does nothing */
  add(socket: AnswerSocket, bytes: number): () => void {
    const answer: UnreadAnswer = { socket, bytes };
    this.#answers.add(answer);
    this.#bytes += bytes;
    for (const oldest of this.#answers) {
      if (this.#bytes <= this.#bytesMax || oldest === answer) break;
      this.#remove(oldest);
      oldest.socket.destroy();
    }
    return () => this.#remove(answer);
  }

  /** To be called with a response that has been ended: follows it to its close where some of it is still here. */
  follow(response: ServerResponse<IncomingMessage>): void {
    // Also of one that waits for the answers before it on its connection.
    const bytes = response.writableLength;
    if (bytes > 0 && !response.destroyed) response.once("close", this.add(response.req.socket, bytes));
  }

  #remove(answer: UnreadAnswer): void {
    if (this.#answers.delete(answer)) this.#bytes -= answer.bytes;
  }
}

/** Node's own class of responses, of which each is followed once it has been ended. */
export function followedResponses(unread: UnreadAnswers): typeof ServerResponse {
  return class FollowedResponse<
    Request extends IncomingMessage = IncomingMessage,
  > extends ServerResponse<Request> {
    override end(...rest: readonly unknown[]): this {
      super.end(...(rest as Parameters<ServerResponse["end"]>));
      unread.follow(this);
      return this;
    }
  };
}
