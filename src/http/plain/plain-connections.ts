import type { Server } from "node:http";
import type { Socket } from "node:net";
import { SentBody } from "../../contract/sent-body.js";
import { parseSmallJsonBody } from "../../intake/parse-json-body.js";
import type { Authority } from "../../services/keys/authority.js";
import type { RequestClient } from "../../services/measure/request-origin.js";
import { lengthOf } from "../answer-pieces.js";
import { authorize } from "../authorize.js";
import type { BodyLease } from "../body/body-budget.js";
import type { DirectRequestOptions } from "../direct-request.js";
import { errorAnswer, reportedError } from "../error-response.js";
import type { HandledRequest } from "../handled-request.js";
import { WrittenAnswer } from "../json-text.js";
import type { PlainRoute } from "../plain-route.js";
import type { RequestCaller } from "../request-caller.js";
import { requestClient } from "../request-client.js";
import type { WatchedRequest } from "../request-watch.js";
import type { RouteAnswer, RouteCall } from "../route-handler.js";
import { successAnswer } from "../success-answer.js";
import type { UnreadAnswers } from "../unread-answers.js";
import { headersOf } from "../whole-answers.js";
import { type AnsweredRequest, PlainAnswers } from "./plain-answers.js";
import { PlainConnection, type PlainServer } from "./plain-connection.js";
import { PlainHeads, type RoutedHead } from "./plain-heads.js";
import { SharedReading } from "./shared-reading.js";

export interface PlainConnectionsOptions extends Omit<DirectRequestOptions, "answers" | "bodyBytesMax"> {
  readonly routes: readonly PlainRoute[];
  /** How long a connection may rest between two requests. */
  readonly restingMs: number;
  /** How long its first request may take to begin. */
  readonly firstMs: number;
  readonly unread: UnreadAnswers;
  readonly isStopping: () => boolean;
}

/** A request whose answer is being made. */
interface PlainRequest extends AnsweredRequest {
  readonly connection: PlainConnection;
  readonly route: PlainRoute;
  readonly lease: BodyLease;
  readonly watched: WatchedRequest;
}

/** Nothing of it was asked for. */
const NO_QUERY = {};

/** A class for the getter: an object that is written with one is made several times as slowly. */
class PlainCall implements RouteCall {
  readonly authority: Authority;
  readonly client: RequestClient;
  readonly caller: RequestCaller;
  readonly parameters: RouteCall["parameters"];
  readonly query: RouteCall["query"] = NO_QUERY;
  readonly sentBody: SentBody;

  constructor(connection: PlainConnection, head: RoutedHead, authority: Authority, sentBody: SentBody) {
    this.authority = authority;
    this.client = connection.clientOf(head);
    this.caller = connection;
    this.parameters = head.parameters;
    this.sentBody = sentBody;
  }

  get body(): unknown {
    return this.sentBody.value;
  }
}

/**
 * Answers connections without Node's HTTP parser, requests and responses, as long as every request that comes over
 * them is for a direct route and written plainly (ADR 26). All others, and those that are to be refused before
 * their body is looked at, get Node's, and what has arrived is read anew.
 */
export class PlainConnections implements PlainServer {
  readonly heads: PlainHeads;
  readonly reading: SharedReading = new SharedReading();
  readonly restingMs: number;
  readonly firstMs: number;
  readonly #options: PlainConnectionsOptions;
  readonly #answers: PlainAnswers<PlainRequest>;
  readonly #connections = new Set<PlainConnection>();
  readonly #server: Server;
  /** Node's own, of what a connection of its server is. */
  readonly #listeners: readonly ((socket: Socket) => void)[];

  /** @param server before it listens */
  constructor(server: Server, options: PlainConnectionsOptions) {
    this.#server = server;
    this.#options = options;
    this.heads = new PlainHeads(options.routes);
    this.restingMs = options.restingMs;
    this.firstMs = options.firstMs;
    this.#answers = new PlainAnswers(options.restingMs, (request) => this.#end(request, 200));
    this.#listeners = server.listeners("connection").map((listener) => (socket) => {
      Reflect.apply(listener, server, [socket]);
    });
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => this.#connections.add(new PlainConnection(socket, this)));
  }

  /** Closes all that haven't become Node's. */
  closeAll(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }

  clientOf({ headers }: RoutedHead, socket: Socket): RequestClient {
    return requestClient(headers, this.#options.addresses.ofHeaders(headers, socket));
  }

  answer(connection: PlainConnection, head: RoutedHead, bodyText: string): boolean {
    const { keys, budget, watch, cors, nextId, isStopping } = this.#options;
    if (isStopping()) return false;
    this.#answers.sendOverdue();
    const { route, parameters, headers } = head;
    const lease = budget.lease();
    let authority: Authority;
    try {
      authority = authorize(keys, route.row, { authorizationHeader: headers.authorization, parameters });
      lease.raiseTo(bodyText.length);
    } catch {
      lease.release();
      return false;
    }
    const requestId = nextId();
    const arrivedMs = performance.now();
    const handled: HandledRequest = {
      id: requestId,
      method: "POST",
      url: head.url,
      route: route.row.path,
      operation: route.row.operationId,
    };
    const request: PlainRequest = {
      connection,
      route,
      head: { cors: cors.listFor(headers.origin), requestId },
      arrivedMs,
      lease,
      watched: watch.arrived(handled, arrivedMs),
    };
    try {
      const sentBody = SentBody.ofText(bodyText, () => parseSmallJsonBody(bodyText, lease));
      const answer = route.handler(new PlainCall(connection, head, authority, sentBody));
      if (answer instanceof Promise) this.#await(request, answer);
      else this.#send(request, answer);
    } catch (error) {
      this.#end(request, this.#refuse(request, error));
    }
    return true;
  }

  giveToNode(connection: PlainConnection, bytes: Buffer): void {
    this.#answers.sendOverdue();
    this.#connections.delete(connection);
    const socket = connection.leave();
    for (const listener of this.#listeners) listener(socket);
    socket.emit("data", bytes);
  }

  refuseSilence(socket: Socket): void {
    const error = Object.assign(new Error("request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    if (!this.#server.emit("clientError", error, socket)) socket.destroy();
  }

  forget(connection: PlainConnection): void {
    this.#connections.delete(connection);
  }

  #await(request: PlainRequest, answer: Promise<Awaited<RouteAnswer>>): void {
    this.#answers.sendOverdue();
    const { connection } = request;
    connection.begin();
    void answer
      .then((awaited) => this.#send(request, awaited))
      .catch((error: unknown) => this.#end(request, this.#refuse(request, error)));
  }

  /** Nothing is sent where it throws. */
  #send(request: PlainRequest, answer: Awaited<RouteAnswer>): void {
    const { connection, head, route } = request;
    const { socket } = connection;
    if (answer instanceof WrittenAnswer && !socket.destroyed) {
      const parts = answer.parts();
      if (parts !== null) {
        this.#sendParts(request, parts);
        return;
      }
      connection.hold();
      this.#answers.send(request, answer, this.#connections.size === 1);
      return;
    }
    if (!socket.destroyed) {
      const text = successAnswer(answer, route.row.mirrored);
      this.#answers.sendText(socket, 200, headersOf(head), text);
    }
    this.#end(request, 200);
  }

  #sendParts(request: PlainRequest, parts: readonly Uint8Array[]): void {
    const { connection, lease, watched } = request;
    lease.release();
    connection.begin();
    const forget = this.#options.unread.add(connection.socket, lengthOf(parts));
    this.#answers.sendParts(request, parts, (areTaken) => {
      forget();
      watched.ended(200, areTaken);
      connection.done();
    });
    this.#answers.sendOverdue();
  }

  /** @returns the answer's status */
  #refuse({ connection: { socket }, head }: PlainRequest, thrown: unknown): number {
    const error = reportedError(this.#options.logger, head.requestId, thrown);
    const { status, headers: own, text } = errorAnswer(error);
    const headers = headersOf(head);
    headers.push(...own);
    if (!socket.destroyed) this.#answers.sendText(socket, status, headers, text);
    this.#answers.sendOverdue();
    return status;
  }

  /** Follows the answer until the system has taken all of it, or the caller has gone. */
  #end({ connection, lease, watched }: PlainRequest, status: number): void {
    lease.release();
    const { socket } = connection;
    // A write that the system refuses at once destroys the socket a moment later.
    if (socket.destroyed || socket.errored !== null) {
      watched.ended(status, false);
    } else if (socket.writableLength === 0) {
      watched.ended(status, true);
      connection.done();
    } else {
      connection.begin();
      const forget = this.#options.unread.add(socket, socket.writableLength);
      // Behind what waits.
      socket.write(NOTHING, (error) => {
        forget();
        watched.ended(status, error === null || error === undefined);
        connection.done();
      });
    }
  }
}

const NOTHING = Buffer.alloc(0);
