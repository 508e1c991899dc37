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

/**
 * Answers wait for others of the same turn of the event loop. Once so long has passed from the arrival of the first
 * one's request, a few cheap searches, they wait for no more than what is being answered just then. Each that is sent by
 * itself wakes its reader, who has gone to sleep meanwhile.
 */
const HELD_MS_MAX = 0.4;
/** One that was made sooner doesn't wait if it is the first: its reader was awake a moment ago. */
const HELD_MS_LEAST = 0.03;
const HELD_MAX = 16;
const HELD_BYTES_MAX = 256 * 1024;

/** Whose answer it is. */
export interface AnsweredRequest {
  readonly connection: { readonly socket: Socket };
  readonly head: AnswerHead;
  /** By `performance.now`. */
  readonly arrivedMs: number;
}

interface HeldAnswer<Request> {
  readonly request: Request;
  readonly bytes: Buffer;
}

const BETWEEN = `\r\n${linesOf(headersOf({ cors: [], requestId: "" }).slice(2))}content-length: `;

/** Writes answers to sockets as Node's server would on a connection that stays open. */
export class PlainAnswers<Request extends AnsweredRequest> {
  readonly #writer = new JsonWriter(HEAD_BYTES_MAX);
  /** What `Keep-Alive` says. */
  readonly #restingSeconds: number;
  readonly #onSent: (request: Request) => void;
  readonly #now: () => number;
  #pattern: HeadPattern | null = null;
  #held: HeldAnswer<Request>[] = [];
  #heldBytes = 0;
  #isDue = false;

  /** @param onSent is told of every answer of `send`, once it was written to the socket or that was gone; never throws */
  constructor(
    restingMs: number,
    onSent: (request: Request) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#restingSeconds = Math.floor(restingMs / 1000);
    this.#onSent = onSent;
    this.#now = now;
  }

  /**
   * A success, head and body by one call of the system, at the end of the turn.
   *
   * @param isAlone whether nobody else could be answered in the same turn
   * @throws what writing the answer throws; then nothing is sent
   */
  send(request: Request, answer: WrittenAnswer, isAlone: boolean): void {
    const held = this.#held;
    const writer = held.length === 0 ? this.#writer.clear() : this.#writer.another();
    answer.writeTo(writer);
    const { head } = request;
    const { beforeId, behindLength } = this.#patternFor(head.cors);
    const text = `${beforeId}${head.requestId}${BETWEEN}${writer.length}${behindLength}`;
    const bytes =
      text.length > HEAD_BYTES_MAX
        ? Buffer.concat([Buffer.from(text, "latin1"), writer.take()])
        : writer.behind(text);
    held.push({ request, bytes });
    this.#heldBytes += bytes.length;
    const sinceMs = this.#heldMs();
    if (
      sinceMs >= HELD_MS_MAX ||
      (held.length === 1 && (isAlone || sinceMs < HELD_MS_LEAST)) ||
      held.length >= HELD_MAX ||
      this.#heldBytes >= HELD_BYTES_MAX
    ) {
      this.#sendHeld();
    } else if (!this.#isDue) {
      this.#isDue = true;
      // Comes right after all that has arrived has been looked at.
      setImmediate(this.#onEndOfTurn);
    }
  }

  /** To be called between requests, of which some are answered later or otherwise: nobody waits for several of them. */
  sendOverdue(): void {
    if (this.#held.length > 0 && this.#heldMs() >= HELD_MS_MAX) this.#sendHeld();
  }

  /** How long ago the first held answer's request arrived. */
  #heldMs(): number {
    return this.#now() - this.#held[0]!.request.arrivedMs;
  }

  readonly #onEndOfTurn = (): void => {
    this.#isDue = false;
    this.#sendHeld();
  };

  #sendHeld(): void {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    let areTaken = true;
    for (const { request, bytes } of held) {
      const { socket } = request.connection;
      if (socket.destroyed) continue;
      socket.write(bytes);
      areTaken &&= socket.writableLength === 0;
    }
    // Before the next answer is written, which may be in `onSent`.
    if (!areTaken) this.#writer.renounce();
    for (const { request } of held) this.#onSent(request);
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
