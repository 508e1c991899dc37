import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { WrittenAnswer } from "../json-text.js";
import { JsonWriter } from "../json-writer.js";
import { type AnswerHead, headersOf } from "../whole-answers.js";

/** Room before an answer; its head is shorter unless the page's address is very long. */
const HEAD_BYTES_MAX = 2_048;

/** The head of an answer with places for what the next one says itself. */
interface HeadPattern {
  readonly cors: readonly string[];
  /** Since 1970, as its date says. */
  readonly second: number;
  readonly beforeId: string;
  readonly behindLength: string;
}

const BETWEEN = `\r\n${linesOf(headersOf({ cors: [], requestId: "" }).slice(2))}content-length: `;

/** Writes answers to sockets as Node's server would on a connection that stays open. */
export class PlainAnswers {
  readonly #writer = new JsonWriter(HEAD_BYTES_MAX);
  /** What `Keep-Alive` says. */
  readonly #restingSeconds: number;
  #pattern: HeadPattern | null = null;

  constructor(restingMs: number) {
    this.#restingSeconds = Math.floor(restingMs / 1000);
  }

  /** A success, head and body by one call of the system. @throws what writing the answer throws; then nothing has been sent */
  send(socket: Socket, head: AnswerHead, answer: WrittenAnswer): void {
    const writer = this.#writer.clear();
    answer.writeTo(writer);
    const { beforeId, behindLength } = this.#patternFor(head.cors);
    const text = `${beforeId}${head.requestId}${BETWEEN}${writer.length}${behindLength}`;
    if (text.length > HEAD_BYTES_MAX) {
      socket.write(Buffer.concat([Buffer.from(text, "latin1"), writer.take()]));
      return;
    }
    socket.write(writer.behind(text));
    if (socket.writableLength > 0) writer.renounce();
  }

  /** Any answer. @param headers names and values in turns */
  sendText(socket: Socket, status: number, headers: readonly string[], body: string | Buffer): void {
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${linesOf(headers)}content-length: `;
    const bytes = Buffer.from(body);
    socket.write(Buffer.concat([Buffer.from(`${head}${bytes.length}${this.#end()}`, "latin1"), bytes]));
  }

  #patternFor(cors: readonly string[]): HeadPattern {
    const second = Math.floor(Date.now() / 1000);
    const known = this.#pattern;
    if (known !== null && known.second === second && known.cors === cors) return known;
    const beforeId = `HTTP/1.1 200 OK\r\n${linesOf(cors)}x-request-id: `;
    this.#pattern = { cors, second, beforeId, behindLength: this.#end() };
    return this.#pattern;
  }

  #end(): string {
    const date = new Date().toUTCString();
    return `\r\nDate: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${this.#restingSeconds}\r\n\r\n`;
  }
}

/** Names and values in turns, as the lines of a head. */
function linesOf(headers: readonly string[]): string {
  let lines = "";
  for (let i = 0; i + 1 < headers.length; i += 2) lines += `${headers[i]!}: ${headers[i + 1]!}\r\n`;
  return lines;
}
