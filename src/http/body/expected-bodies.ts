import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * The senders who said `Expect: 100-continue` and wait to be told to go on, which they are once a body is about to be
 * read. One whose request is refused before gets the final status alone, and the connection closes after it, as nobody
 * could tell whether what comes next is the body or another request (RFC 9110, 10.1.1).
 */
export class ExpectedBodies {
  readonly #waiting = new WeakMap<IncomingMessage, ServerResponse>();

  /** To be called with each such request as it arrives. */
  expect(request: IncomingMessage, response: ServerResponse): void {
    const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
    if (Number(length) === 0 && encoding === undefined) return;
    this.#waiting.set(request, response);
    response.setHeader("connection", "close");
  }

  isWaiting(request: IncomingMessage): boolean {
    return this.#waiting.has(request);
  }

  /** The body is wanted; to be called once all answers before this one have left. */
  goOn(request: IncomingMessage): void {
    const response = this.#waiting.get(request);
    if (response === undefined) return;
    this.#waiting.delete(request);
    response.removeHeader("connection");
    response.writeContinue();
  }
}
