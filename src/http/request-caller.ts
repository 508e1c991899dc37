import type { ServerResponse } from "node:http";

/** Whoever waits for a response, until it has been sent. */
export class RequestCaller {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Whether the connection was closed before the answer. */
  get isGone(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished;
  }

  /** Calls the listener once, when the connection closes, unless what is returned is called before. */
  whenGone(listener: () => void): () => void {
    this.#response.once("close", listener);
    return () => this.#response.off("close", listener);
  }
}
