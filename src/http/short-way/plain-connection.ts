import type { Socket } from "node:net";
import type { RequestClient } from "../../services/measure/request-origin.js";
import { CloseListeners } from "../hooks/close-listeners.js";
import type { RequestCaller } from "../hooks/request-client.js";
import { PLAIN_HEAD_LENGTH_MAX } from "./plain-head.js";
import { HEAD_END, type PlainHeads, type RoutedHead } from "./routed-heads.js";

/** What a connection asks of the server. */
export interface PlainServer {
  readonly heads: PlainHeads;
  /** How long it may rest between two requests. */
  readonly restingMs: number;
  /** How long its first request may take to begin. */
  readonly firstMs: number;
  clientOf(head: RoutedHead, socket: Socket): RequestClient;
  /**
   * @param bodyText a character for each byte
   * @returns false, and nothing has happened, where the request is for Node and the framework to answer
   */
  answer(connection: PlainConnection, head: RoutedHead, bodyText: string): boolean;
  /** Leaves the connection to Node's server, with what has arrived on it and wasn't taken. */
  giveToNode(connection: PlainConnection, bytes: Buffer): void;
  /** Nothing came over it. */
  refuseSilence(socket: Socket): void;
  forget(connection: PlainConnection): void;
}

/**
 * A connection over which requests come one by one, each written plainly and arriving in one piece, as those of
 * most clients do. With the first piece that isn't like that it becomes Node's for good.
 */
export class PlainConnection implements RequestCaller {
  readonly socket: Socket;
  readonly #server: PlainServer;
  readonly #closeListeners: CloseListeners;
  #isFresh = true;
  #isRefused = false;
  /** Whether an answer is being made or sent, and what has arrived meanwhile. */
  #isBusy = false;
  /** Whether the time of rest is off. */
  #isUntimed = false;
  #waiting: Buffer[] = [];
  /** While a piece waits, the socket is paused, so that the end comes behind it. */
  #hasEnded = false;
  /** The last request's, but for the body's length: most have the same. */
  #lastHead: RoutedHead | null = null;
  #lastSender: RoutedHead["sender"] | null = null;
  #lastClient: RequestClient = {};

  constructor(socket: Socket, server: PlainServer) {
    this.socket = socket;
    this.#server = server;
    this.#closeListeners = new CloseListeners(socket);
    socket.on("data", this.#onData).on("end", this.#onEnd).on("error", this.#onError);
    socket.on("timeout", this.#onTimeout).on("close", this.#onClose);
    socket.setTimeout(server.firstMs);
  }

  get isGone(): boolean {
    return this.socket.destroyed;
  }

  whenGone(listener: () => void): () => void {
    return this.#closeListeners.add(listener);
  }

  /** Who asks; the same object as long as requests have the same head, but for the body's length. */
  clientOf(head: RoutedHead): RequestClient {
    if (head.sender !== this.#lastSender) {
      this.#lastClient = this.#server.clientOf(head, this.socket);
      this.#lastSender = head.sender;
    }
    return this.#lastClient;
  }

  /** An answer isn't there yet, or hasn't been taken yet: what arrives meanwhile waits. */
  begin(): void {
    this.#isBusy = true;
    this.#isUntimed = true;
    this.socket.setTimeout(0);
  }

  /** As `begin` until the end of this turn of the event loop at most, for which no time of rest needs to be stopped. */
  hold(): void {
    this.#isBusy = true;
  }

  /** The end of what was begun, if something was. */
  done(): void {
    if (!this.#isBusy) return;
    this.#isBusy = false;
    const { socket } = this;
    if (socket.destroyed) return;
    if (this.#isUntimed) {
      this.#isUntimed = false;
      socket.setTimeout(this.#server.restingMs);
    }
    const waiting = this.#waiting;
    if (waiting.length > 0) {
      this.#waiting = [];
      socket.resume();
      this.#take(waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting));
    } else if (this.#hasEnded) {
      socket.end();
    }
  }

  /** Stops listening. */
  leave(): Socket {
    const { socket } = this;
    socket.off("data", this.#onData).off("end", this.#onEnd).off("error", this.#onError);
    socket.off("timeout", this.#onTimeout).off("close", this.#onClose);
    return socket.setTimeout(0);
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#isRefused) return;
    if (this.#isBusy) {
      this.#waiting.push(bytes);
      this.socket.pause();
      return;
    }
    this.#take(bytes);
  };

  #take(bytes: Buffer): void {
    const start = this.#bodyStartIn(bytes);
    if (start >= 0 && this.#server.answer(this, this.#lastHead!, bytes.toString("latin1", start))) {
      if (this.#isFresh && !this.#isUntimed) this.socket.setTimeout(this.#server.restingMs);
      this.#isFresh = false;
      return;
    }
    this.#server.giveToNode(this, bytes);
  }

  /** -1 unless it is one whole request, of the last head then. */
  #bodyStartIn(bytes: Buffer): number {
    const known = this.#lastHead === null ? -1 : this.#lastHead.bytes.bodyStartIn(bytes, bytes.length);
    if (known >= 0) return known;
    const end = bytes.length > 0 ? bytes.indexOf(HEAD_END, 0, "latin1") : -1;
    if (end < 0 || end > PLAIN_HEAD_LENGTH_MAX) return -1;
    const head = this.#server.heads.of(bytes.toString("latin1", 0, end));
    const start = end + HEAD_END.length;
    if (head === null || bytes.length !== start + head.bodyLength) return -1;
    this.#lastHead = head;
    return start;
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (!this.#isBusy) this.socket.end();
  };

  readonly #onTimeout = (): void => {
    if (this.#isFresh && !this.#isRefused) {
      // The time that the answer starts anew is the sender's for closing.
      this.#isRefused = true;
      this.#server.refuseSilence(this.socket);
    } else {
      this.socket.destroy();
    }
  };

  /** A sender that goes away is no news. */
  readonly #onError = (): void => {
    this.socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#server.forget(this);
  };
}
