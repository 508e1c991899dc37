import type { IncomingMessage } from "node:http";
import { FindlingError } from "../../errors/index.js";

/**
 * The whole body, or an empty buffer. On more than `bytesMax` the rest is let through unread, so that
 * the sender gets to see the answer.
 *
 * @throws FindlingError `payload_too_large`; `invalid_request` if the sender stops half-way
 */
export function readBody(message: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const announced = Number(message.headers["content-length"] ?? 0);
  if (announced > bytesMax) {
    message.resume();
    return Promise.reject(tooLarge(bytesMax));
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (): void => {
      message.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      settle();
      message.on("error", ignore).resume();
      reject(tooLarge(bytesMax));
    };
    const onEnd = (): void => {
      settle();
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
    };
    const onCut = (): void => {
      settle();
      message.on("error", ignore);
      reject(new FindlingError("invalid_request", "the request ended before its body was complete"));
    };
    message.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
  });
}

/** A sender that goes away after it was refused is no news. */
function ignore(): void {}

function tooLarge(bytesMax: number): FindlingError {
  return new FindlingError(
    "payload_too_large",
    `the body is larger than ${bytesMax} bytes, the most this endpoint takes; send less per request`,
  );
}
