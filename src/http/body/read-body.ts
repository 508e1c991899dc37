import type { IncomingMessage } from "node:http";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { FindlingError } from "../../errors/index.js";
import { RequestTimeout } from "../answers/error-answer.js";
import type { BodyLease } from "./body-budget.js";

/** How long nothing of a body may arrive before its sender is answered 408. */
export const BODY_SILENCE_MS: number = 30_000;

export interface BodyArrival {
  readonly silenceMs?: number;
  /** Told once the head by itself is no reason to refuse the body: its sender may be waiting for that. */
  readonly onWanted?: () => void;
}

/**
 * The whole body, or an empty buffer. Of one that is refused the rest is let through unread, so that
 * the sender gets to see the answer: at once where its length is announced, else when it has passed
 * `bytesMax` or what the lease allows.
 *
 * @throws FindlingError `payload_too_large`; `rate_limited`; `invalid_request` if the sender leaves half-way;
 *   RequestTimeout if it falls silent
 */
export async function readBody(
  message: IncomingMessage,
  bytesMax: number,
  lease: BodyLease,
  { silenceMs = BODY_SILENCE_MS, onWanted }: BodyArrival = {},
): Promise<Buffer> {
  let chunks: BodyChunks;
  try {
    chunks = new BodyChunks(message, bytesMax, lease);
    onWanted?.();
    // Only now, as senders come again with what is refused for want of memory: it is let through.
    chunks.requireMemory();
  } catch (error) {
    message.on("error", ignore).resume();
    throw error;
  }
  return await receive(message, chunks, silenceMs);
}

/** How a body may be packed (RFC 9110, 8.4.1), by names in small letters. */
const UNPACKERS: Readonly<Record<string, () => Unpacker>> = {
  gzip: () => createGunzip({ chunkSize: UNPACKED_BYTES }),
  "x-gzip": () => createGunzip({ chunkSize: UNPACKED_BYTES }),
  br: () => createBrotliDecompress({ chunkSize: UNPACKED_BYTES }),
};
type Unpacker = ReturnType<typeof createGunzip> | ReturnType<typeof createBrotliDecompress>;

/** What an unpacker gives at a time. */
const UNPACKED_BYTES = 64 * 1024;

/** Whether bodies may be packed so, or not at all. */
export function isKnownEncoding(encoding: string): boolean {
  return encoding === "" || encoding === "identity" || Object.hasOwn(UNPACKERS, encoding);
}

export function contentEncodingOf({ headers }: IncomingMessage): string {
  return headers["content-encoding"]?.trim().toLowerCase() ?? "";
}

/** Null for a body that isn't packed in a way that is known. */
function unpackerFor(message: IncomingMessage): Unpacker | null {
  const encoding = contentEncodingOf(message);
  return Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding]!() : null;
}

/** What is counted of a packed body is what it unpacks to, as it does: a small one may unpack to gigabytes. */
function receive(message: IncomingMessage, chunks: BodyChunks, silenceMs: number): Promise<Buffer> {
  const unpacker = unpackerFor(message);
  if (unpacker === null) return receiveFrom(message, message, chunks, silenceMs);
  message.pipe(unpacker);
  const whole = receiveFrom(message, unpacker, chunks, silenceMs);
  return whole.finally(() => {
    message.unpipe(unpacker);
    unpacker.destroy();
    message.resume();
  });
}

/** @param source the message, or what unpacks it */
function receiveFrom(
  message: IncomingMessage,
  source: IncomingMessage | Unpacker,
  chunks: BodyChunks,
  silenceMs: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const silence = setTimeout(() => refuse(new RequestTimeout()), silenceMs);
    const settle = (): void => {
      clearTimeout(silence);
      source.off("data", onData).off("end", onEnd);
      message.off("error", onCut).off("close", onCut);
      if (source !== message) source.off("error", onMalformed).on("error", ignore);
    };
    const refuse = (error: unknown): void => {
      settle();
      chunks.drop();
      message.on("error", ignore).resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      silence.refresh();
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
    const onMalformed = (): void => refuse(malformed(contentEncodingOf(message)));
    const onCut = (): void => {
      // The whole of it has come, and is being unpacked.
      if (source !== message && message.complete && !message.errored) return;
      settle();
      chunks.drop();
      message.on("error", ignore);
      reject(incomplete());
    };
    chunks.onStandstill = () => refuse(tooSlow());
    source.on("data", onData).on("end", onEnd);
    message.on("error", onCut).on("close", onCut);
    if (source !== message) source.on("error", onMalformed);
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
  /** Told that others need the memory, and that too little has arrived for too long. */
  onStandstill: () => void = () => undefined;

  /** @throws FindlingError `payload_too_large` by what the head announces */
  constructor(message: IncomingMessage, bytesMax: number, lease: BodyLease) {
    this.#bytesMax = bytesMax;
    this.#lease = lease;
    const announced = Number(message.headers["content-length"] ?? 0);
    if (announced > bytesMax) throw tooLarge(bytesMax);
    // Nothing is announced of what a packed one unpacks to.
    this.#announced = Object.hasOwn(UNPACKERS, contentEncodingOf(message)) ? 0 : announced;
  }

  /** @throws FindlingError `rate_limited` by what the head announces */
  requireMemory(): void {
    this.#lease.requireMemory(this.#announced);
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
      chunk.copy(this.#bufferFor(start), start);
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
  #bufferFor(filled: number): Buffer {
    const buffer = this.#filled;
    if (buffer !== null && this.#length <= buffer.length) return buffer;
    const beginning = BEGINNINGS_BYTES.find((bytes) => this.#length <= bytes) ?? Infinity;
    // Filled as it arrives: pages that nothing was written to take no memory yet.
    const larger = Buffer.allocUnsafeSlow(Math.min(beginning, this.#announced));
    if (buffer !== null) {
      buffer.copy(larger, 0, 0, filled);
      releaseBody(buffer);
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

function malformed(encoding: string): FindlingError {
  return new FindlingError(
    "invalid_request",
    `the body is not what its 'Content-Encoding: ${encoding}' says`,
  );
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

/** Shorter ones aren't worth the call, which takes 4 µs. */
const RELEASED_BYTES_MIN = 1 << 15;

const { port1: nobody, port2: closed } = new MessageChannel();
closed.close();

/**
 * Gives the memory of a body, or of a piece of one, back once it is of no use, instead of at the next garbage collection,
 * which V8 sees no reason for before 64 MiB of bodies have come together. What a closed port is handed is
 * freed at once. Bodies that share their memory with others are left alone.
 */
export function releaseBody({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < RELEASED_BYTES_MIN || byteLength < buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) nobody.postMessage(null, [buffer]);
}
