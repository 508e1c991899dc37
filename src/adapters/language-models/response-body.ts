import type { IncomingMessage } from "node:http";
import { unavailable } from "./model-errors.js";

/** What may wait to be read before the provider has to wait. */
const WAITING_BYTES_MAX = 64 * 1024;

/**
 * The body as the web stream that the SDK reads. The provider sends no quicker than it is read, and
 * never more than `bytesMax`. An answer that ends before it is complete is an error, never an end.
 */
export function responseBody(response: IncomingMessage, bytesMax: number): ReadableStream<Uint8Array> {
  let received = 0;
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const fail = (error: Error): void => {
          if (isOver) return;
          isOver = true;
          controller.error(error);
        };
        response.on("data", (chunk: Buffer) => {
          if (isOver) return;
          received += chunk.length;
          if (received > bytesMax) {
            fail(unavailable("the answer is longer than any that can be meant"));
            response.destroy();
            return;
          }
          controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length));
          if (controller.desiredSize! <= 0) response.pause();
        });
        response.on("end", () => {
          if (isOver) return;
          isOver = true;
          controller.close();
        });
        response.on("error", () => fail(unavailable("the connection broke off in the midst of the answer")));
        response.on("close", () => fail(unavailable("the connection broke off in the midst of the answer")));
        response.pause();
      },
      pull() {
        response.resume();
      },
      cancel() {
        isOver = true;
        response.destroy();
      },
    },
    { highWaterMark: WAITING_BYTES_MAX, size: (chunk) => chunk.byteLength },
  );
}
