import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Ends responses whose turn on their connection will never come: Node tells only the one that holds the socket
 * that it has closed, so that nobody would learn of the end of those behind it.
 */
export class QueuedResponses {
  readonly #waiting = new WeakMap<Socket, Set<ServerResponse>>();

  /** To be called with every request as it arrives. */
  follow({ socket }: IncomingMessage, response: ServerResponse): void {
    if (response.socket !== null) return;
    const waiting = this.#waiting.get(socket) ?? this.#followConnection(socket);
    waiting.add(response);
    response.once("close", () => waiting.delete(response));
  }

  #followConnection(socket: Socket): Set<ServerResponse> {
    const waiting = new Set<ServerResponse>();
    this.#waiting.set(socket, waiting);
    socket.once("close", () => {
      for (const response of waiting) {
        // Node's own business by now.
        if (response.socket !== null) continue;
        response.destroy();
        response.emit("close");
      }
    });
    return waiting;
  }
}
