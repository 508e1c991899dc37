import type { ServerResponse } from "node:http";
import { hasLeft } from "./whole-answers.js";

/** Who waits for an answer, until it has been sent. */
export interface RequestCaller {
  /** Whether the connection was closed before the answer. */
  readonly isGone: boolean;
  /** Calls the listener once, when the connection closes, unless what is returned is called before. */
  whenGone(listener: () => void): () => void;
}

/** Whoever waits for a response of Node's. */
export class ResponseCaller implements RequestCaller {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isGone(): boolean {
    return this.#response.destroyed && !hasLeft(this.#response);
  }

  whenGone(listener: () => void): () => void {
    this.#response.once("close", listener);
    return () => this.#response.off("close", listener);
  }
}
