import type { AddressInfo } from "node:net";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { type OperationId, ROUTE_TABLE } from "../contract/route-table.js";
import { FindlingError } from "../errors/index.js";
import type { KeyService } from "../services/keys/key-service.js";
import { logRequest } from "./access-log.js";
import { BodyBudget, type BodyLease } from "./body/body-budget.js";
import { type BodyLimits, readJsonBody } from "./body/read-json-body.js";
import { Cors } from "./cors.js";
import { DOCUMENTATION_ROUTES, registerDocumentation } from "./docs/register-documentation.js";
import { registerOpenApi } from "./docs/register-open-api.js";
import { asFindlingError, sendError, statusOf } from "./error-response.js";
import { EventStreams } from "./event-stream/event-streams.js";
import type { Timers } from "./event-stream/watch.js";
import type { Logger } from "./logger.js";
import { registerRoutes } from "./register-routes.js";
import { countRequest, type RequestMetrics } from "./request-metrics.js";
import type { RouteHandlers } from "./route-handler.js";
import { type KnownRoute, methodsAt } from "./route-matching.js";
import { RunningRequests } from "./running-requests.js";
import { answerSocketError } from "./socket-errors.js";

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
  #isStopping = false;

  private constructor(app: FastifyInstance, { logger, timers }: HttpServerOptions) {
    this.#app = app;
    this.#logger = logger;
    this.#streams = new EventStreams(timers, (error) => logger.error({ err: error }, "a stream failed"));
  }

  static async create(options: HttpServerOptions): Promise<HttpServer> {
    const cors = new Cors(options.corsOrigins);
    const app = createApp(options, cors);
    const server = new HttpServer(app, options);
    server.#watchRequests(cors, options.metrics);
    server.#answerWithoutRoute();
    server.#answerErrors();
    readBodies(app, options.bodyLimits, options.bodiesBytesMax);
    refuseUnlistedRoutes(app);
    await registerOpenApi(app, options.version);
    registerDocumentation(app, options.version);
    registerRoutes(app, { ...options, streams: server.#streams });
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
    await closed;
  }

  #watchRequests(cors: Cors, metrics: RequestMetrics): void {
    const app = this.#app;
    app.decorateRequest("authority", null);
    app.decorateRequest("sentContentType", undefined);
    // With a callback instead of a promise: each one would cost every request some microseconds.
    app.addHook("onRequest", (request, reply, done) => {
      this.#running.arrived();
      tellOfRequest(this.#logger, metrics, request, reply, () => this.#running.ended());
      reply
        .headers(cors.headersFor(request.headers.origin))
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
      done();
    });
    // Node would answer an unknown expectation with an empty 417.
    app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
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
      if (methods.length === 0) throw new FindlingError("not_found", "there is nothing at this path");
      reply.header("allow", methods.join(", "));
      throw new FindlingError(
        "method_not_allowed",
        `this path does not take ${request.method}, only ${methods.join(", ")}`,
      );
    });
  }

  #answerErrors(): void {
    this.#app.setErrorHandler((thrown, request, reply) => {
      const error = asFindlingError(thrown);
      if (statusOf(error.code) >= 500 && error.code !== "shutting_down") {
        const cause = error === thrown ? error : error.cause;
        this.#logger.error({ request_id: request.id, err: cause }, "request failed");
      }
      // Fastify closes where a body was refused, and the sender, still busy sending, would not see why. The
      // rest is let through unread; only of one that is too large that may never end.
      if (error.code === "rate_limited") {
        reply.removeHeader("connection");
        // Also where the sender wants it closed: closing is left to it then.
        reply.raw.shouldKeepAlive = true;
      }
      return sendError(reply, error);
    });
  }
}

function createApp(
  { logger, metrics, trustedProxies }: Pick<HttpServerOptions, "logger" | "metrics" | "trustedProxies">,
  cors: Cors,
): FastifyInstance {
  let requestCount = 0;
  const idPrefix = crypto.randomUUID().slice(0, 8);
  const app: FastifyInstance = fastify({
    logger: false,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    genReqId: () => `${idPrefix}-${(++requestCount).toString(36)}`,
    return503OnClosing: false,
    requestTimeout: ARRIVAL_TIMEOUT_MS,
    routerOptions: {
      ignoreDuplicateSlashes: true,
      ignoreTrailingSlash: true,
      maxParamLength: PARAMETER_LENGTH_MAX,
    },
    clientErrorHandler: (error, socket) => answerSocketError(error, socket, cors.headersFor(undefined)),
    frameworkErrors: (error, request, reply) => {
      tellOfRequest(logger, metrics, request, reply);
      reply.headers(cors.headersFor(request.headers.origin)).header("x-request-id", request.id);
      sendError(reply, asFindlingError(error));
    },
  });
  // Schemas document; the services validate, because existence comes first (contract 1.6) and what
  // they accept is wider than any schema says (`[]` for `{}`, null for absent).
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
  return app;
}

/** Logs and counts the request when its answer has left or its caller has gone. */
function tellOfRequest(
  logger: Logger,
  metrics: RequestMetrics,
  request: FastifyRequest,
  reply: FastifyReply,
  onEnd: () => void = () => undefined,
): void {
  const startMs = performance.now();
  metrics.requestArrived();
  reply.raw.once("close", () => {
    const durationMs = performance.now() - startMs;
    onEnd();
    logRequest(logger, request, reply, durationMs);
    countRequest(metrics, request, reply, durationMs);
  });
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

/** The share of all bodies' memory that is kept from documents: a flood of them leaves searches alone. */
const OTHER_BODIES_SHARE = 1 / 8;

/** Those whose handlers know what to do with an `UnreadBody`. */
const TAKES_UNREAD_BODIES: ReadonlySet<OperationId> = new Set<OperationId>(["addDocuments"]);

function readBodies(app: FastifyInstance, limits: BodyLimits, bytesMax: number): void {
  const budgets: Readonly<Record<keyof BodyLimits, BodyBudget>> = {
    documents: new BodyBudget(bytesMax * (1 - OTHER_BODIES_SHARE)),
    standard: new BodyBudget(bytesMax * OTHER_BODIES_SHARE),
  };
  app.decorateRequest("bodyLease", null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", async (request: FastifyRequest) => {
    const row = request.routeOptions.config.row;
    if (row === undefined || row.body === null) {
      request.raw.resume();
      return undefined;
    }
    const lease = budgets[row.bodyLimit].lease();
    try {
      const body = await readJsonBody(
        request.raw,
        request.sentContentType,
        limits[row.bodyLimit],
        lease,
        TAKES_UNREAD_BODIES.has(row.operationId),
      );
      request.bodyLease = lease;
      return body;
    } catch (error) {
      lease.release();
      throw error;
    }
  });
}
