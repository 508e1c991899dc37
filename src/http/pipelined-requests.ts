import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests that wait on one connection before no more are read from it. */
const WAITING_MAX = 16;

/**
 * Has requests that came behind others on their connection wait until these have been answered, and for a turn of the
 * event loop each: Node hands on all that came in one piece at once, hundreds, which would keep everybody else waiting,
 * and whose answers would lie in memory together.
 */
export class PipelinedRequests {
  readonly #waiting = new WeakMap<Socket, number>();

  /** @returns false where it is the request's turn already; `answer` is for later, unless the connection closes before */
  defer({ socket }: IncomingMessage, response: ServerResponse, answer: () => void): boolean {
    if (response.socket !== null) return false;
    this.#count(socket, 1);
    response.once("socket", () => {
      setImmediate(() => {
        this.#count(socket, -1);
        if (!response.destroyed) answer();
      });
    });
    return true;
  }

  #count(socket: Socket, change: 1 | -1): void {
    const count = (this.#waiting.get(socket) ?? 0) + change;
    this.#waiting.set(socket, count);
    if (count === WAITING_MAX && change > 0) socket.pause();
    else if (count === 0) socket.resume();
  }
}
