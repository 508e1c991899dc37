import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type FastifyInstance, type FastifyRequest, fastify } from "fastify";
import { type OperationId, ROUTE_TABLE } from "../contract/route-table.js";
import { FindlingError } from "../errors/index.js";
import type { KeyService } from "../services/keys/key-service.js";
import type { BodyLease } from "./body/body-budget.js";
import { bodyBudgets, readBodies } from "./body/body-parser.js";
import { EagerMessage } from "./body/eager-message.js";
import type { BodyLimits } from "./body/read-json-body.js";
import { ClientAddresses } from "./client-addresses.js";
import { continueInTurn } from "./continue-in-turn.js";
import { Cors } from "./cors.js";
import { DirectRoutes } from "./direct-routes.js";
import { DOCUMENTATION_ROUTES, registerDocumentation } from "./docs/register-documentation.js";
import { registerOpenApi } from "./docs/register-open-api.js";
import { asFindlingError, isLeaving, reportedError, sendError } from "./error-response.js";
import { EventStreams } from "./event-stream/event-streams.js";
import type { Timers } from "./event-stream/watch.js";
import type { HandledRequest } from "./handled-request.js";
import { hostProblem } from "./host-header.js";
import type { Logger } from "./log/logger.js";
import { originForm } from "./origin-form.js";
import { PipelinedRequests } from "./pipelined-requests.js";
import { PlainConnections } from "./plain/plain-connections.js";
import { PlainRoute } from "./plain-route.js";
import { QueuedResponses } from "./queued-responses.js";
import { registerRoutes } from "./register-routes.js";
import { ResponseCaller } from "./request-caller.js";
import type { RequestMetrics } from "./request-metrics.js";
import { RequestWatch } from "./request-watch.js";
import type { RouteHandlers } from "./route-handler.js";
import { type KnownRoute, methodsAt } from "./route-matching.js";
import { RunningRequests } from "./running-requests.js";
import { answerSocketError } from "./socket-errors.js";
import { followedResponses, UnreadAnswers } from "./unread-answers.js";
import { WholeAnswers } from "./whole-answers.js";

export interface HttpServerOptions {
  readonly keys: KeyService;
  readonly handlers: RouteHandlers;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
  readonly corsOrigins: readonly string[];
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly bodyLimits: BodyLimits;
  /** What the bodies of all running requests may take together; a request by itself is always let through. */
  readonly bodiesBytesMax: number;
  /** What answers that wait for their readers may take together; one by itself may be larger. */
  readonly answersBytesMax: number;
  readonly timers: Timers;
  /** Of the package; shown in the OpenAPI document. */
  readonly version: string;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The `Content-Type` as sent; the header itself is taken away from Fastify, see below. */
    sentContentType: string | undefined;
    /** Memory that the body takes; given back when the request has been handled. */
    bodyLease: BodyLease | null;
  }
}

/** How long a request may take to arrive; what it may take to be answered is not limited. */
const ARRIVAL_TIMEOUT_MS = 300_000;

/**
 * How long a connection may rest between two requests: longer than what load balancers keep one for (60 s), since who
 * closes first had better be the one that sends.
 */
const RESTING_TIMEOUT_MS = 72_000;

/** How long a connection may be silent at first: as Node's server has it for heads. */
const FIRST_TIMEOUT_MS = 60_000;

/** Longer than a request line can be: no parameter is refused for its length here. */
const PARAMETER_LENGTH_MAX = 65_536;

/** Beyond the time that a stop waits, for the last words of streams that it ends. */
const LAST_WORDS_MS = 500;

const ALL_ROUTES: readonly KnownRoute[] = [...ROUTE_TABLE, ...DOCUMENTATION_ROUTES];

/** The web surface: one server over the route table. */
export class HttpServer {
  readonly #app: FastifyInstance;
  readonly #logger: Logger;
  readonly #running: RunningRequests = new RunningRequests();
  readonly #streams: EventStreams;
  readonly #watch: RequestWatch;
  readonly #cors: Cors;
  readonly #unread: UnreadAnswers;
  readonly #nextId: () => string = requestIds();
  #direct: DirectRoutes | null = null;
  #plain: PlainConnections | null = null;
  #isStopping = false;

  private constructor({ logger, metrics, corsOrigins, timers, answersBytesMax }: HttpServerOptions) {
    this.#logger = logger;
    this.#watch = new RequestWatch(logger, metrics, this.#running);
    this.#cors = new Cors(corsOrigins);
    this.#unread = new UnreadAnswers(answersBytesMax);
    this.#app = this.#createApp();
    this.#streams = new EventStreams(timers, (error) => logger.error({ err: error }, "a stream failed"));
  }

  static async create(options: HttpServerOptions): Promise<HttpServer> {
    const server = new HttpServer(options);
    const app = server.#app;
    const addresses = new ClientAddresses(options.trustedProxies);
    const budgets = bodyBudgets(options.bodiesBytesMax);
    server.#watchRequests();
    server.#answerWithoutRoute();
    server.#answerErrors();
    readBodies(app, options.bodyLimits, budgets);
    refuseUnlistedRoutes(app);
    await registerOpenApi(app, options.version);
    registerDocumentation(app, options.version);
    registerRoutes(app, { ...options, addresses, streams: server.#streams, unread: server.#unread });
    const direct = {
      routes: directRoutes(options.handlers),
      keys: options.keys,
      logger: options.logger,
      watch: server.#watch,
      cors: server.#cors,
      addresses,
      budget: budgets.standard,
      nextId: server.#nextId,
    };
    const bodyBytesMax = options.bodyLimits.standard;
    server.#direct = new DirectRoutes({ ...direct, bodyBytesMax, answers: new WholeAnswers(server.#unread) });
    server.#plain = new PlainConnections(app.server, {
      ...direct,
      restingMs: RESTING_TIMEOUT_MS,
      firstMs: FIRST_TIMEOUT_MS,
      unread: server.#unread,
      isStopping: () => server.#isStopping,
    });
    await app.ready();
    return server;
  }

  /** @throws what Node reports where the address can't be listened on, such as EADDRINUSE */
  async listen(host: string, port: number): Promise<AddressInfo> {
    await this.#app.listen({ host, port });
    return this.#app.server.address() as AddressInfo;
  }

  /**
   * Refuses new requests with 503, waits for the running ones at most that long, ends the streams among
   * them with a word that says why, then closes every connection.
   */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    let isIdle = await this.#running.idle(timeoutMs);
    if (!isIdle) {
      this.#streams.stop();
      isIdle = await this.#running.idle(LAST_WORDS_MS);
    }
    if (!isIdle) this.#logger.warn({ requests: this.#running.count }, "requests still running are cut off");
    const closed = this.#app.close();
    this.#app.server.closeAllConnections();
    this.#plain?.closeAll();
    await closed;
  }

  #createApp(): FastifyInstance {
    const app: FastifyInstance = fastify({
      logger: false,
      genReqId: this.#nextId,
      return503OnClosing: false,
      routerOptions: {
        ignoreDuplicateSlashes: true,
        ignoreTrailingSlash: true,
        maxParamLength: PARAMETER_LENGTH_MAX,
      },
      serverFactory: (listener) => this.#createServer(listener),
      clientErrorHandler: (error, socket) =>
        answerSocketError(error, socket, this.#cors.headersFor(undefined)),
      frameworkErrors: (error, request, reply) => {
        this.#watch.begin(reply.raw, () => handledRequest(request));
        reply.headers(this.#cors.headersFor(request.headers.origin)).header("x-request-id", request.id);
        sendError(reply, asFindlingError(error));
      },
    });
    // Schemas document; the services validate, because existence comes first (contract 1.6) and what
    // they accept is wider than any schema says (`[]` for `{}`, null for absent).
    app.setValidatorCompiler(() => () => true);
    app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
    return app;
  }

  #createServer(framework: RequestListener): Server {
    const queued = new QueuedResponses();
    const pipelined = new PipelinedRequests();
    const answer = (request: EagerMessage, response: ServerResponse): void => {
      queued.follow(request, response);
      request.url = originForm(request.url ?? "");
      // Some of its body may be there when its turn comes, which the framework reads as a stream.
      if (pipelined.defer(request, response, () => framework(request, response))) return;
      const isForFramework = this.#isStopping || hostProblem(request) !== null;
      if (isForFramework || this.#direct?.take(request, response) !== true) framework(request, response);
    };
    const server = createServer(
      {
        requestTimeout: ARRIVAL_TIMEOUT_MS,
        keepAliveTimeout: RESTING_TIMEOUT_MS,
        // Node would answer with an empty 400.
        requireHostHeader: false,
        IncomingMessage: EagerMessage,
        ServerResponse: followedResponses(this.#unread),
      },
      answer,
    );
    server.on("checkContinue", (request: EagerMessage, response: ServerResponse) => {
      continueInTurn(response);
      answer(request, response);
    });
    // Node would answer an unknown expectation with an empty 417.
    server.on("checkExpectation", answer);
    return server;
  }

  #watchRequests(): void {
    const app = this.#app;
    app.decorateRequest("authority", null);
    app.decorateRequest("sentContentType", undefined);
    // With a callback instead of a promise: each one would cost every request some microseconds.
    app.addHook("onRequest", (request, reply, done) => {
      this.#watch.begin(reply.raw, () => handledRequest(request));
      reply
        .headers(this.#cors.headersFor(request.headers.origin))
        .header("x-request-id", request.id)
        .header("x-content-type-options", "nosniff");
      // Fastify answers 415 by this header even where a body is empty or to be ignored. Deleting it would
      // make all headers slow to read.
      request.sentContentType = request.headers["content-type"];
      request.raw.headers["content-type"] = undefined;

      if (this.#isStopping) {
        reply.header("connection", "close");
        throw new FindlingError("shutting_down", "the server is shutting down; try again later");
      }
      const problem = hostProblem(request.raw);
      if (problem !== null) {
        reply.header("connection", "close");
        throw new FindlingError("invalid_request", `the request is not valid HTTP/1.1: it ${problem}`);
      }
      done();
    });
  }

  #answerWithoutRoute(): void {
    this.#app.setNotFoundHandler(() => undefined);
    this.#app.addHook("onRequest", (request, reply, done) => {
      if (request.method === "OPTIONS") {
        reply.code(204).send();
        return;
      }
      if (!request.is404) {
        done();
        return;
      }
      const methods = methodsAt(ALL_ROUTES, request.url);
      if (methods.length === 0)
        throw new FindlingError(
          "not_found",
          "there is nothing at this path; /docs on this server shows what there is",
        );
      reply.header("allow", methods.join(", "));
      throw new FindlingError(
        "method_not_allowed",
        `this path does not take ${request.method}, only ${methods.join(", ")}`,
      );
    });
  }

  #answerErrors(): void {
    this.#app.setErrorHandler((thrown, request, reply) => {
      if (isLeaving(thrown, new ResponseCaller(reply.raw))) return reply;
      const error = reportedError(this.#logger, request.id, thrown);
      // Fastify closes where a body was refused, and the sender, still busy sending, would not see why. The
      // rest is let through unread; only of one that is too large that may never end. What isn't JSON came whole.
      if (error.code === "invalid_json") reply.removeHeader("connection");
      if (error.code === "rate_limited") {
        reply.removeHeader("connection");
        // Also where the sender wants it closed: closing is left to it then.
        reply.raw.shouldKeepAlive = true;
      }
      return sendError(reply, error);
    });
  }
}

function requestIds(): () => string {
  let count = 0;
  const prefix = crypto.randomUUID().slice(0, 8);
  return () => `${prefix}-${(++count).toString(36)}`;
}

function handledRequest(request: FastifyRequest): HandledRequest {
  return {
    id: request.id,
    method: request.method,
    url: request.url,
    route: request.routeOptions.url ?? null,
    operation: operationOf(request),
  };
}

function operationOf({ is404, routeOptions: { url, config } }: FastifyRequest): HandledRequest["operation"] {
  if (is404) return "none";
  return config?.row?.operationId ?? (url === undefined ? "none" : "documentation");
}

/** Searches, which are most of what is asked. */
const DIRECT_OPERATIONS: ReadonlySet<OperationId> = new Set<OperationId>(["searchIndex", "searchFederation"]);

function directRoutes(handlers: RouteHandlers): readonly PlainRoute[] {
  const rows = ROUTE_TABLE.filter(({ operationId }) => DIRECT_OPERATIONS.has(operationId));
  return rows.map((row) => new PlainRoute({ row, handler: handlers[row.operationId] }));
}

/** Every route is in the table, with its permission and its documentation, or it does not start. */
function refuseUnlistedRoutes(app: FastifyInstance): void {
  app.addHook("onRoute", ({ method, url }) => {
    const isListed = ALL_ROUTES.some(
      (route) =>
        route.path === url && (route.method === method || (route.method === "GET" && method === "HEAD")),
    );
    if (!isListed) throw new TypeError(`the route ${String(method)} ${url} is not in the route table`);
  });
}
