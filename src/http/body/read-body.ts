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
    chunks.onStandstill = () => this.#refuse(tooSlow());
  }

  onData(chunk: Buffer): void {
    try {
      this.#chunks.add(chunk);
    } catch (error) {
      this.#refuse(error);
    }
  }

  onEnd(): void {
    this.#reader.onBody(this.#chunks.whole());
  }

  onCut(): void {
    this.#chunks.drop();
    this.#reader.onRefusal(incomplete());
  }

  #refuse(error: unknown): void {
    this.#chunks.drop();
    this.#message.dropBody();
    this.#reader.onRefusal(error);
  }
}

function receive(message: IncomingMessage, chunks: BodyChunks): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      message.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
    };
    const refuse = (error: unknown): void => {
      settle();
      chunks.drop();
      message.on("error", ignore).resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        chunks.add(chunk);
      } catch (error) {
        refuse(error);
      }
    };
    const onEnd = (): void => {
      settle();
      resolve(chunks.whole());
    };
    const onCut = (): void => {
      settle();
      chunks.drop();
      message.on("error", ignore);
      reject(incomplete());
    };
    chunks.onStandstill = () => refuse(tooSlow());
    message.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
  });
}

/** Memory for the beginning of a body, until more than that has arrived: who only announces much takes no more. */
const BEGINNINGS_BYTES = [64 * 1024, 1024 * 1024];

/** A body as far as it has arrived, in memory that its lease holds: what is announced is asked for, but not held. */
class BodyChunks {
  readonly #bytesMax: number;
  readonly #lease: BodyLease;
  readonly #announced: number;
  /** For a body of an announced length that comes in several chunks; most come in one. */
  #filled: Buffer | null = null;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Told that others need the room, and that too little has arrived for too long. */
  onStandstill: () => void = () => undefined;

  /** @throws FindlingError `payload_too_large`, `rate_limited` by what the head announces */
  constructor({ headers }: IncomingMessage, bytesMax: number, lease: BodyLease) {
    this.#bytesMax = bytesMax;
    this.#lease = lease;
    this.#announced = Number(headers["content-length"] ?? 0);
    if (this.#announced > bytesMax) throw tooLarge(bytesMax);
    lease.requireRoom(this.#announced);
  }

  /** @throws FindlingError `payload_too_large`, `rate_limited` */
  add(chunk: Buffer): void {
    const start = this.#length;
    this.#length += chunk.length;
    if (this.#length > this.#bytesMax) throw tooLarge(this.#bytesMax);
    const isFirst = start === 0;
    if (isFirst && this.#length < this.#announced) this.#lease.begin(() => this.onStandstill());
    this.#lease.raiseTo(this.#length);
    if (isFirst && this.#length >= this.#announced) {
      this.#chunks.push(chunk);
    } else if (this.#length <= this.#announced) {
      chunk.copy(this.#roomFor(start), start);
      releaseBody(chunk);
    } else {
      this.#chunks.push(chunk);
    }
  }

  /** To be called once, when all has arrived. */
  whole(): Buffer {
    this.#lease.end();
    if (this.#filled !== null) return this.#filled.subarray(0, this.#length);
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#length);
  }

  /** Gives back the memory of what nobody wants. */
  drop(): void {
    this.#lease.end();
    if (this.#filled !== null) releaseBody(this.#filled);
    this.#filled = null;
    for (const chunk of this.#chunks.splice(0)) releaseBody(chunk);
  }

  /** @param filled bytes of it that are to stay */
  #roomFor(filled: number): Buffer {
    const room = this.#filled;
    if (room !== null && this.#length <= room.length) return room;
    const beginning = BEGINNINGS_BYTES.find((bytes) => this.#length <= bytes) ?? Infinity;
    // Filled as it arrives: pages that nothing was written to take no memory yet.
    const larger = Buffer.allocUnsafeSlow(Math.min(beginning, this.#announced));
    if (room !== null) {
      room.copy(larger, 0, 0, filled);
      releaseBody(room);
    }
    this.#filled = larger;
    return larger;
  }
}

/** A sender that goes away after it was refused is no news. */
function ignore(): void {}

function incomplete(): FindlingError {
  return new FindlingError("invalid_request", "the request ended before its body was complete");
}

function tooSlow(): FindlingError {
  return new FindlingError(
    "rate_limited",
    "the body arrives too slowly for a server that has as many large requests at hand as it takes at once; send this one again, faster or in smaller parts",
  );
}

function tooLarge(bytesMax: number): FindlingError {
  return new FindlingError(
    "payload_too_large",
    `the body is larger than ${bytesMax} bytes, the most this endpoint takes; send less per request`,
  );
}
