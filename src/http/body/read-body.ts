import type { IncomingMessage } from "node:http";
import { FindlingError } from "../../errors/index.js";
import type { BodyLease } from "./body-budget.js";
import type { BodyTaker, EagerMessage } from "./eager-message.js";
import { releaseBody } from "./release-body.js";

/** Who waits for a body. */
export interface BodyReader {
  /** The whole body, or an empty buffer. */
  onBody(bytes: Buffer): void;
  onRefusal(error: unknown): void;
}

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
  let chunks: BodyChunks;
  try {
    chunks = new BodyChunks(message, bytesMax, lease);
  } catch (error) {
    message.on("error", ignore).resume();
    throw error;
  }
  return await receive(message, chunks);
}

/** The same for a body of which nothing has arrived yet, told as soon as it is there. */
export function readBodyEagerly(
  message: EagerMessage,
  bytesMax: number,
  lease: BodyLease,
  reader: BodyReader,
): void {
  try {
    message.giveBodyTo(new EagerReading(message, new BodyChunks(message, bytesMax, lease), reader));
  } catch (error) {
    message.dropBody();
    reader.onRefusal(error);
  }
}

class EagerReading implements BodyTaker {
  readonly #message: EagerMessage;
  readonly #chunks: BodyChunks;
  readonly #reader: BodyReader;

  constructor(message: EagerMessage, chunks: BodyChunks, reader: BodyReader) {
    this.#message = message;
    this.#chunks = chunks;
    this.#reader = reader;
  }

  onData(chunk: Buffer): void {
    try {
      this.#chunks.add(chunk);
    } catch (error) {
      this.#message.dropBody();
      this.#reader.onRefusal(error);
    }
  }

  onEnd(): void {
    this.#reader.onBody(this.#chunks.whole());
  }

  onCut(): void {
    this.#reader.onRefusal(incomplete());
  }
}

function receive(message: IncomingMessage, chunks: BodyChunks): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      message.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
    };
    const onData = (chunk: Buffer): void => {
      try {
        chunks.add(chunk);
      } catch (error) {
        settle();
        message.on("error", ignore).resume();
        reject(error);
      }
    };
    const onEnd = (): void => {
      settle();
      resolve(chunks.whole());
    };
    const onCut = (): void => {
      settle();
      message.on("error", ignore);
      reject(incomplete());
    };
    message.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
  });
}

/** A body as far as it has arrived, in memory that its lease holds. */
class BodyChunks {
  readonly #bytesMax: number;
  readonly #lease: BodyLease;
  readonly #announced: number;
  /** For a body of an announced length that comes in several chunks; most come in one. */
  #filled: Buffer | null = null;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  /** @throws FindlingError `payload_too_large`, `rate_limited` by what the head announces */
  constructor({ headers }: IncomingMessage, bytesMax: number, lease: BodyLease) {
    this.#bytesMax = bytesMax;
    this.#lease = lease;
    this.#announced = Number(headers["content-length"] ?? 0);
    if (this.#announced > bytesMax) throw tooLarge(bytesMax);
    lease.raiseTo(this.#announced);
  }

  /** @throws FindlingError `payload_too_large`, `rate_limited` */
  add(chunk: Buffer): void {
    const start = this.#length;
    this.#length += chunk.length;
    if (this.#length > this.#bytesMax) throw tooLarge(this.#bytesMax);
    this.#lease.raiseTo(this.#length);
    if (start === 0 && this.#length >= this.#announced) {
      this.#chunks.push(chunk);
    } else if (this.#length <= this.#announced) {
      // Filled as it arrives: pages that nothing was written to take no memory yet.
      this.#filled ??= Buffer.allocUnsafeSlow(this.#announced);
      chunk.copy(this.#filled, start);
      releaseBody(chunk);
    } else {
      this.#chunks.push(chunk);
    }
  }

  whole(): Buffer {
    if (this.#filled !== null) return this.#filled.subarray(0, this.#length);
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#length);
  }
}

/** A sender that goes away after it was refused is no news. */
function ignore(): void {}

function incomplete(): FindlingError {
  return new FindlingError("invalid_request", "the request ended before its body was complete");
}

function tooLarge(bytesMax: number): FindlingError {
  return new FindlingError(
    "payload_too_large",
    `the body is larger than ${bytesMax} bytes, the most this endpoint takes; send less per request`,
  );
}
