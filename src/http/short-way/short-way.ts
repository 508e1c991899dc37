import type { Socket } from "node:net";
import { parseSmallJsonBody } from "../../intake/parse-json-body.js";
import type { Authority } from "../../services/authority/authority.js";
import type { RequestClient } from "../../services/measure/request-origin.js";
import { lengthOf } from "../answers/answer-pieces.js";
import { type AnswerHead, successAnswer, WrittenAnswer } from "../answers/envelope.js";
import { PACKED_BYTES_MIN, type Packing, pack, packedHeaders } from "../answers/pack-answer.js";
import type { UnreadAnswers } from "../answers/unread-answers.js";
import type { BodyBudget, BodyLease } from "../body/body-budget.js";
import type { HandledRequest, RequestTrace } from "../hooks/access-log.js";
import type { RequestCaller } from "../hooks/request-client.js";
import type { RequestHooks } from "../hooks/request-hooks.js";
import type { RouteAnswer, RouteCall } from "../routes/route-handler.js";
import { AnswerBatch } from "./answer-batch.js";
import { PlainConnection, type PlainServer } from "./plain-connection.js";
import type { PlainRoute } from "./plain-head.js";
import { PlainHeads, type RoutedHead } from "./routed-heads.js";

/** Node's HTTP server, which takes what isn't written plainly. */
export interface NodeConnections {
  readonly server: {
    removeAllListeners(event: "connection"): unknown;
    on(event: "connection", listener: (socket: Socket) => void): unknown;
    emit(event: "clientError", error: Error, socket: Socket): boolean;
  };
  /** Takes a connection over, with what has been read of it and wasn't taken. */
  begin(socket: Socket, bytes: Uint8Array): void;
}

export interface ShortWayOptions {
  readonly routes: readonly PlainRoute[];
  readonly hooks: RequestHooks;
  /** What bodies take. */
  readonly budget: BodyBudget;
  readonly unread: UnreadAnswers;
  readonly isStopping: () => boolean;
  /** How long a connection may rest between two requests. */
  readonly restingMs: number;
  /** How long its first request may take to begin. */
  readonly firstMs: number;
  /** Before it listens. */
  readonly node: NodeConnections;
}

/** Nothing of it was asked for. */
const NO_QUERY = {};
const NO_HEADERS = {};

/**
 * One request from its arrival to the end of its answer: what the handler sees of it, and what is told of it once it is
 * over. A class for the getters: an object that is written with one is made several times as slowly.
 */
class PlainRequest implements RouteCall, HandledRequest {
  readonly connection: PlainConnection;
  readonly routed: RoutedHead;
  readonly authority: Authority;
  readonly head: AnswerHead;
  readonly lease: BodyLease;
  readonly trace: RequestTrace | null;
  readonly arrivedMs: number = performance.now();
  readonly #bodyText: string;

  constructor(
    connection: PlainConnection,
    routed: RoutedHead,
    authority: Authority,
    head: AnswerHead,
    lease: BodyLease,
    trace: RequestTrace | null,
    bodyText: string,
  ) {
    this.connection = connection;
    this.routed = routed;
    this.authority = authority;
    this.head = head;
    this.lease = lease;
    this.trace = trace;
    this.#bodyText = bodyText;
  }

  get client(): RequestClient {
    return this.connection.clientOf(this.routed);
  }

  get caller(): RequestCaller {
    return this.connection;
  }

  /** Nobody asks: no search depends on it. */
  get isLocal(): boolean {
    return false;
  }

  get parameters(): RouteCall["parameters"] {
    return this.routed.parameters;
  }

  get headers(): RouteCall["headers"] {
    return NO_HEADERS;
  }

  get query(): RouteCall["query"] {
    return NO_QUERY;
  }

  /** Parsed with each look at it. */
  get body(): unknown {
    return parseSmallJsonBody(this.#bodyText, this.lease);
  }

  get id(): string {
    return this.head.requestId;
  }

  get method(): string {
    return "POST";
  }

  get url(): string {
    return this.routed.url;
  }

  get route(): string {
    return this.routed.route.row.path;
  }

  get operation(): HandledRequest["operation"] {
    return this.routed.route.row.operationId;
  }
}

/**
 * The short way of searches past the framework and Node's HTTP parser, requests and responses, as long as every request
 * that comes over a connection is for one of its routes and written plainly (ADR 26). All others, and those that are to
 * be refused before their body is looked at, get Node's server, and what has arrived is read anew.
 */
export class ShortWay implements PlainServer {
  readonly heads: PlainHeads;
  readonly restingMs: number;
  readonly firstMs: number;
  readonly #options: ShortWayOptions;
  readonly #answers: AnswerBatch<PlainRequest>;
  readonly #connections = new Set<PlainConnection>();

  constructor(options: ShortWayOptions) {
    const { routes, restingMs, firstMs, node } = options;
    this.#options = options;
    this.heads = new PlainHeads(routes);
    this.restingMs = restingMs;
    this.firstMs = firstMs;
    this.#answers = new AnswerBatch(restingMs, (request) => this.#end(request, 200));
    node.server.removeAllListeners("connection");
    node.server.on("connection", (socket) => this.#connections.add(new PlainConnection(socket, this)));
  }

  /** Closes all connections that haven't become Node's. */
  closeAll(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }

  clientOf({ headers }: RoutedHead, socket: Socket): RequestClient {
    return this.#options.hooks.clientOf(headers, socket);
  }

  answer(connection: PlainConnection, routed: RoutedHead, bodyText: string): boolean {
    const { hooks, budget, isStopping } = this.#options;
    if (isStopping()) return false;
    this.#answers.sendOverdue();
    const { route, parameters, headers } = routed;
    const lease = budget.lease();
    let authority: Authority;
    try {
      authority = hooks.authorize(route.row, headers, parameters);
      lease.raiseTo(bodyText.length);
    } catch {
      lease.release();
      return false;
    }
    const head = { cors: hooks.cors.headersFor(headers.origin), requestId: hooks.nextId() };
    const trace = hooks.isTracing ? traceOf(hooks, routed, head) : null;
    const request = new PlainRequest(connection, routed, authority, head, lease, trace, bodyText);
    hooks.watch.arrived();
    try {
      const answer = trace === null ? route.handler(request) : trace.run(() => route.handler(request));
      if (answer instanceof Promise) this.#await(request, answer);
      else this.#send(request, answer);
    } catch (error) {
      this.#refuse(request, error);
    }
    return true;
  }

  giveToNode(connection: PlainConnection, bytes: Buffer): void {
    this.#answers.sendOverdue();
    this.#connections.delete(connection);
    this.#options.node.begin(connection.leave(), bytes);
  }

  refuseSilence(socket: Socket): void {
    const error = Object.assign(new Error("request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    if (!this.#options.node.server.emit("clientError", error, socket)) socket.destroy();
  }

  forget(connection: PlainConnection): void {
    this.#connections.delete(connection);
  }

  #await(request: PlainRequest, answer: Promise<Awaited<RouteAnswer>>): void {
    this.#answers.sendOverdue();
    request.connection.begin();
    void answer
      .then((awaited) => this.#send(request, awaited))
      .catch((error: unknown) => this.#refuse(request, error));
  }

  /** Nothing is sent where it throws. */
  #send(request: PlainRequest, answer: Awaited<RouteAnswer>): void {
    const { connection, routed } = request;
    const { socket } = connection;
    if (answer instanceof WrittenAnswer && !socket.destroyed) {
      const parts = answer.parts();
      if (parts !== null) {
        this.#sendParts(request, parts);
        return;
      }
      if (routed.packing !== null) {
        this.#sendPacked(request, answer, routed.packing);
        return;
      }
      connection.hold();
      this.#answers.send(request, answer, this.#connections.size === 1);
      return;
    }
    if (!socket.destroyed) {
      this.#answers.sendText(request, 200, [], successAnswer(answer, routed.route.row.mirrored));
    }
    this.#end(request, 200);
  }

  /** By itself, as it is packed while others are answered. */
  #sendPacked(request: PlainRequest, answer: WrittenAnswer, packing: Packing): void {
    const { connection, routed } = request;
    const bytes = successAnswer(answer, routed.route.row.mirrored);
    if (bytes.length < PACKED_BYTES_MIN) {
      this.#answers.sendText(request, 200, [], bytes);
      this.#answers.sendOverdue();
      this.#end(request, 200);
      return;
    }
    connection.begin();
    pack(bytes, packing, (packed) => {
      if (!connection.socket.destroyed) {
        const headers = packed === null ? [] : packedHeaders(packing);
        this.#answers.sendText(request, 200, headers, packed ?? bytes);
      }
      this.#end(request, 200);
    });
  }

  #sendParts(request: PlainRequest, parts: readonly Uint8Array[]): void {
    const { connection, lease } = request;
    lease.release();
    connection.begin();
    const forget = this.#options.unread.add(connection.socket, lengthOf(parts));
    this.#answers.sendParts(request, parts, (areTaken) => {
      forget();
      this.#ended(request, 200, areTaken);
      connection.done();
    });
    this.#answers.sendOverdue();
  }

  #refuse(request: PlainRequest, thrown: unknown): void {
    const { connection, head } = request;
    const { status, headers, text } = this.#options.hooks.refusal(thrown, head.requestId);
    if (!connection.socket.destroyed) this.#answers.sendText(request, status, headers, text);
    this.#answers.sendOverdue();
    this.#end(request, status);
  }

  /** Follows the answer until the system has taken all of it, or the caller has gone. */
  #end(request: PlainRequest, status: number): void {
    const { connection, lease } = request;
    lease.release();
    const { socket } = connection;
    // A write that the system refuses at once destroys the socket a moment later.
    if (socket.destroyed || socket.errored !== null) {
      this.#ended(request, status, false);
    } else if (socket.writableLength === 0) {
      this.#ended(request, status, true);
      connection.done();
    } else {
      connection.begin();
      const forget = this.#options.unread.add(socket, socket.writableLength);
      // Behind what waits.
      socket.write(NOTHING, (error) => {
        forget();
        this.#ended(request, status, error === null || error === undefined);
        connection.done();
      });
    }
  }

  #ended(request: PlainRequest, status: number, isWhole: boolean): void {
    const durationMs = performance.now() - request.arrivedMs;
    this.#options.hooks.watch.ended(request, { status, isWhole, durationMs });
  }
}

function traceOf(
  hooks: RequestHooks,
  { route, url, headers }: RoutedHead,
  head: AnswerHead,
): RequestTrace | null {
  return hooks.beginTrace({ id: head.requestId, method: "POST", route: route.row.path, url, headers });
}

const NOTHING = Buffer.alloc(0);
