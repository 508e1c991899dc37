import { type AnswerHead, headersOf } from "../whole-answers.js";

/** The head of a success, with places for what the next one says itself. */
interface HeadPattern {
  readonly cors: readonly string[];
  /** Since 1970, as its date says. */
  readonly second: number;
  readonly bytes: Buffer;
  readonly idAt: number;
  readonly idLength: number;
  readonly lengthAt: number;
}

const ZERO = 0x30;

/** Makes heads of successes of the ones before, in which but the request's id and the body's length are put. */
export class HeadPatterns {
  /** What `Keep-Alive` says. */
  readonly #restingSeconds: number;
  /** By the digits of the body's length; null of another second. */
  readonly #patterns: (HeadPattern | null)[] = [];

  constructor(restingSeconds: number) {
    this.#restingSeconds = restingSeconds;
  }

  /** @returns ASCII, valid until the next head is asked for */
  headOf({ cors, requestId }: AnswerHead, bodyLength: number): Uint8Array {
    let digits = 1;
    for (let rest = bodyLength; rest >= 10; rest = Math.floor(rest / 10)) digits++;
    const second = Math.floor(Date.now() / 1000);
    let pattern = this.#patterns[digits];
    if (
      pattern === undefined ||
      pattern === null ||
      pattern.second !== second ||
      pattern.cors !== cors ||
      pattern.idLength !== requestId.length
    ) {
      pattern = this.#patternFor(cors, requestId, second, digits);
      while (this.#patterns.length <= digits) this.#patterns.push(null);
      this.#patterns[digits] = pattern;
    }
    const { bytes, idAt, idLength, lengthAt } = pattern;
    for (let i = 0; i < idLength; i++) bytes[idAt + i] = requestId.charCodeAt(i);
    let rest = bodyLength;
    for (let at = lengthAt + digits - 1; at >= lengthAt; at--) {
      const tens = Math.floor(rest / 10);
      bytes[at] = ZERO + rest - 10 * tens;
      rest = tens;
    }
    return bytes;
  }

  #patternFor(cors: readonly string[], requestId: string, second: number, digits: number): HeadPattern {
    const headers = headersOf({ cors, requestId });
    const beforeId = `HTTP/1.1 200 OK\r\n${linesOf(cors)}x-request-id: `;
    const beforeLength = `\r\n${linesOf(headers.slice(cors.length + 2))}content-length: `;
    const end = headEnd(second * 1000, this.#restingSeconds);
    const bytes = Buffer.from(`${beforeId}${requestId}${beforeLength}${"0".repeat(digits)}${end}`, "latin1");
    const idAt = beforeId.length;
    const idLength = requestId.length;
    return { cors, second, bytes, idAt, idLength, lengthAt: idAt + idLength + beforeLength.length };
  }
}

/** Names and values in turns, as the lines of a head. */
export function linesOf(headers: readonly string[]): string {
  let lines = "";
  for (let i = 0; i + 1 < headers.length; i += 2) lines += `${headers[i]!}: ${headers[i + 1]!}\r\n`;
  return lines;
}

/** What follows the length. */
export function headEnd(nowMs: number, restingSeconds: number): string {
  const date = new Date(nowMs).toUTCString();
  return `\r\nDate: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${restingSeconds}\r\n\r\n`;
}
