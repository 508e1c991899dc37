import type { ServerResponse } from "node:http";

/**
 * Tells the sender of a request with `Expect: 100-continue` to go on with its body, once the answers of the requests
 * before it have been sent. Node itself lays the line among what waits, and, where an answer comes as bytes, puts that
 * answer's head before it.
 */
export function continueInTurn(response: ServerResponse): void {
  if (response.socket !== null) {
    response.writeContinue();
    return;
  }
  response.once("socket", () => {
    // What has its answer needs no body any more.
    if (!response.headersSent) response.writeContinue();
  });
}
