import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { followedResponses, type UnreadAnswers } from "../answers/unread-answers.js";
import type { ExpectedBodies } from "../body/expected-bodies.js";
import { endsConnection, originForm } from "../hooks/request-form.js";

/** How long a request may take to arrive; what it may take to be answered is not limited. */
const ARRIVAL_TIMEOUT_MS = 300_000;

/** Requests that wait on one connection before no more are read from it. */
const WAITING_MAX = 16;

/** What a request says to change the connection's protocol. */
const UPGRADE_HEADERS: ReadonlySet<string> = new Set(["connection", "upgrade", "http2-settings"]);

export interface NodeServerOptions {
  /** How long a connection may rest between two requests. */
  readonly restingMs: number;
  readonly unread: UnreadAnswers;
  readonly expected: ExpectedBodies;
}

/** One connection's requests behind the one that is being answered. */
interface Connection {
  /** Those whose turn hasn't come. */
  readonly waiting: Set<ServerResponse>;
  /** The last request that has arrived. */
  last: { readonly request: IncomingMessage; readonly response: ServerResponse };
  /** Whether no other is taken. */
  isEnding: boolean;
}

/**
 * Node's HTTP server, with what it leaves open: requests that came behind others on their connection wait until these
 * have been answered, and for a turn of the event loop each, as Node hands on all that came in one piece at once,
 * hundreds, whose answers would lie in memory together; nothing is answered behind the last request of a connection;
 * and a request to change the protocol is one like any other.
 */
export class NodeServer {
  readonly server: Server;
  readonly #framework: RequestListener;
  readonly #connections = new WeakMap<Socket, Connection>();
  /** Node's own, of what a connection of its server is. */
  readonly #begin: readonly ((socket: Socket) => void)[];

  constructor(framework: RequestListener, { restingMs, unread, expected }: NodeServerOptions) {
    this.#framework = framework;
    const server = createServer(
      {
        requestTimeout: ARRIVAL_TIMEOUT_MS,
        keepAliveTimeout: restingMs,
        // Node would answer with an empty 400.
        requireHostHeader: false,
        ServerResponse: followedResponses(unread),
      },
      (request, response) => this.#take(request, response),
    );
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      expected.expect(request, response);
      this.#take(request, response);
    });
    // Node would answer an unknown expectation with an empty 417.
    server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
      this.#take(request, response);
    });
    // Nobody takes upgrades; without a listener, Node would drop what came behind the request.
    server.on("upgrade", (request: IncomingMessage, socket: Socket, behind: Buffer) => {
      this.#takeUpgrade(request, socket, behind);
    });
    this.#begin = server.listeners("connection").map((listener) => (socket) => {
      Reflect.apply(listener, server, [socket]);
    });
    this.server = server;
  }

  /** Takes a connection over, with what has been read of it and wasn't taken. */
  begin(socket: Socket, bytes: Uint8Array): void {
    socket.pause();
    if (bytes.length > 0) socket.unshift(bytes);
    for (const begin of this.#begin) begin(socket);
    socket.resume();
  }

  /** Whether what comes over a connection is of no interest: its last request has arrived, whole. */
  isDone(socket: Socket): boolean {
    const connection = this.#connections.get(socket);
    return connection?.isEnding === true && connection.last.request.complete;
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    let connection = this.#connections.get(socket);
    if (connection === undefined) {
      connection = { waiting: new Set(), last: { request, response }, isEnding: false };
      this.#connections.set(socket, connection);
      this.#followClose(socket, connection);
    } else if (connection.isEnding) {
      connection.waiting.add(response);
      if (connection.waiting.size >= WAITING_MAX) socket.pause();
      return;
    }
    connection.last = { request, response };
    connection.isEnding = endsConnection(request);
    request.url = originForm(request.url ?? "");
    // Without a socket it waits for those before it.
    if (response.socket === null) this.#defer(request, response, connection);
    else this.#framework(request, response);
  }

  #defer(request: IncomingMessage, response: ServerResponse, { waiting }: Connection): void {
    const { socket } = request;
    waiting.add(response);
    if (waiting.size >= WAITING_MAX) socket.pause();
    response.once("close", () => waiting.delete(response));
    response.once("socket", () => {
      setImmediate(() => {
        waiting.delete(response);
        if (waiting.size === 0) socket.resume();
        if (!response.destroyed) this.#framework(request, response);
      });
    });
  }

  /** Node tells only the response that holds the socket that it has closed: nobody would learn of the end of those behind it. */
  #followClose(socket: Socket, { waiting }: Connection): void {
    socket.once("close", () => {
      for (const response of waiting) {
        // Node's own business by now.
        if (response.socket !== null) continue;
        response.destroy();
        response.emit("close");
      }
    });
  }

  /** Has the request read anew, without what it asked for, once those before it have been answered. */
  #takeUpgrade(request: IncomingMessage, socket: Socket, behind: Buffer): void {
    const { method, url, httpVersion, rawHeaders } = request;
    const lines = [`${method} ${url} HTTP/${httpVersion}`];
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const name = rawHeaders[i]!;
      if (!UPGRADE_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[i + 1]!}`);
    }
    if (endsConnection(request)) lines.push("connection: close");
    const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
    const again = (): void => this.begin(socket, Buffer.concat([head, behind]));
    const before = this.#connections.get(socket)?.last.response;
    if (before === undefined || before.closed) again();
    else before.once("close", again);
  }
}
