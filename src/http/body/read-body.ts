import type { IncomingMessage } from "node:http";
import { FindlingError } from "../../errors/index.js";
import type { BodyLease } from "./body-budget.js";

/**
 * The whole body, or an empty buffer. Of one that is refused the rest is let through unread, so that
 * the sender gets to see the answer: at once where its length is announced, else when it has passed
 * `bytesMax` or what the lease allows.
 *
 * @throws FindlingError `payload_too_large`; `rate_limited`; `invalid_request` if the sender stops half-way
 */
export async function readBody(
  message: IncomingMessage,
  bytesMax: number,
  lease: BodyLease,
): Promise<Buffer> {
  const announced = Number(message.headers["content-length"] ?? 0);
  try {
    if (announced > bytesMax) throw tooLarge(bytesMax);
    lease.raiseTo(announced);
  } catch (error) {
    message.on("error", ignore).resume();
    throw error;
  }
  return await receive(message, bytesMax, announced, lease);
}

function receive(
  message: IncomingMessage,
  bytesMax: number,
  announced: number,
  lease: BodyLease,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    /** For a body of an announced length that comes in several chunks; most come in one. */
    let whole: Buffer | null = null;
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (): void => {
      message.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
    };
    const onData = (chunk: Buffer): void => {
      const start = length;
      length += chunk.length;
      try {
        if (length > bytesMax) throw tooLarge(bytesMax);
        lease.raiseTo(length);
      } catch (error) {
        settle();
        message.on("error", ignore).resume();
        reject(error);
        return;
      }
      if (start === 0 && length >= announced) {
        chunks.push(chunk);
      } else if (length <= announced) {
        // Filled as it arrives: pages that nothing was written to take no memory yet.
        whole ??= Buffer.allocUnsafeSlow(announced);
        chunk.copy(whole, start);
      } else {
        chunks.push(chunk);
      }
    };
    const onEnd = (): void => {
      settle();
      if (whole !== null) resolve(whole.subarray(0, length));
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
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
