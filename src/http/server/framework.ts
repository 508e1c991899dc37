import type { RequestListener, Server } from "node:http";
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type RawServerDefault,
} from "fastify";
import { ROUTE_TABLE, type RouteRow } from "../../contract/route-table.js";
import { FindlingError } from "../../errors/index.js";
import { UnreadBody } from "../../intake/unread-body.js";
import type { Authority } from "../../services/authority/authority.js";
import { sendParts } from "../answers/answer-pieces.js";
import { AcceptedAnswer, JSON_TYPE, successAnswer, WrittenAnswer } from "../answers/envelope.js";
import { packAnswers } from "../answers/pack-answer.js";
import { ByteStream, sendByteStream, sendTextStream, TextStream } from "../answers/streamed-answers.js";
import type { UnreadAnswers } from "../answers/unread-answers.js";
import { sendWebAnswer, WebAnswer } from "../answers/web-answer.js";
import type { BodyLease } from "../body/body-budget.js";
import { type BodyReading, readBodies } from "../body/json-body.js";
import { releaseBody } from "../body/read-body.js";
import { CONSOLE_ROUTES, registerConsole } from "../console/register-console.js";
import type { ManualSearch } from "../docs/manual-search.js";
import { MANUAL_ROUTES, registerManual } from "../docs/manual-site.js";
import { openApiOperation } from "../docs/open-api-operation.js";
import {
  DOCUMENTATION_ROUTES,
  registerDocumentation,
  registerOpenApi,
} from "../docs/register-documentation.js";
import { EventStream } from "../event-stream/event-frames.js";
import type { EventStreams } from "../event-stream/event-streams.js";
import type { HandledRequest, RequestTrace } from "../hooks/access-log.js";
import { isLocalRequest } from "../hooks/local-request.js";
import { isLeaving, ResponseCaller } from "../hooks/request-client.js";
import { requestProblem } from "../hooks/request-form.js";
import type { RequestHooks } from "../hooks/request-hooks.js";
import type { RouteHandler, RouteHandlers } from "../routes/route-handler.js";
import { type KnownRoute, methodsAt } from "./route-matching.js";
import { answerSocketError } from "./socket-errors.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the handler runs. */
    authority: Authority | null;
    /** Null where nothing is traced. */
    trace: RequestTrace | null;
    /** The `Content-Type` as sent; the header itself is taken away from Fastify, see below. */
    sentContentType: string | undefined;
    /** Memory that the body takes; given back when the request has been handled. */
    bodyLease: BodyLease | null;
    /** Why the body, which has been let through, is refused. */
    bodyProblem: FindlingError | null;
  }

  interface FastifyContextConfig {
    /** The route's row; absent on the documentation's own routes. */
    row?: RouteRow;
  }
}

export interface FrameworkOptions {
  readonly hooks: RequestHooks;
  readonly handlers: RouteHandlers;
  readonly streams: EventStreams;
  readonly unread: UnreadAnswers;
  readonly bodies: BodyReading;
  readonly isStopping: () => boolean;
  /** Whether the console is served. */
  readonly hasConsole: boolean;
  readonly manual: ManualSearch;
  /** The package's version; shown in the OpenAPI document. */
  readonly version: string;
  readonly createServer: (framework: RequestListener) => Server;
  /** Whether nothing that comes over a connection is to be answered. */
  readonly isDone: (socket: RawServerSocket) => boolean;
}

type RawServerSocket = Parameters<typeof answerSocketError>[1];

/** Longer than a request line can be: no parameter is refused for its length here. */
const PARAMETER_LENGTH_MAX = 65_536;

/** Where people begin who type the server's address into a browser. */
const START: KnownRoute = { method: "GET", path: "/" };
const ROUTES_WITHOUT_CONSOLE: readonly KnownRoute[] = [
  ...ROUTE_TABLE,
  ...DOCUMENTATION_ROUTES,
  ...MANUAL_ROUTES,
  START,
];
const ALL_ROUTES: readonly KnownRoute[] = [...ROUTES_WITHOUT_CONSOLE, ...CONSOLE_ROUTES];

const NOTHING_HERE = "there is nothing at this path; /docs on this server shows what there is";

/**
 * The framework with exactly the routes of the table. Keys, permissions and scope are checked before the body is read
 * (contract 1.6); what the body must look like is checked by the services, after existence.
 *
 * @throws TypeError if a row has no handler, or a route isn't in the table
 */
export async function createFramework(options: FrameworkOptions): Promise<FastifyInstance<RawServerDefault>> {
  const { hooks, bodies, version } = options;
  const app: FastifyInstance = fastify({
    logger: false,
    genReqId: hooks.nextId,
    return503OnClosing: false,
    routerOptions: {
      ignoreDuplicateSlashes: true,
      ignoreTrailingSlash: true,
      maxParamLength: PARAMETER_LENGTH_MAX,
    },
    serverFactory: options.createServer,
    clientErrorHandler: (error, socket) => {
      if (!options.isDone(socket)) answerSocketError(error, socket, hooks.cors.headersFor(undefined));
    },
    frameworkErrors: (error, request, reply) => {
      beginAnswer(hooks, request, reply);
      sendRefusal(hooks, reply, error);
    },
  });
  // Schemas document; the services validate, because existence comes first (contract 1.6) and what
  // they accept is wider than any schema says (`[]` for `{}`, null for absent).
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
  const known = options.hasConsole ? ALL_ROUTES : ROUTES_WITHOUT_CONSOLE;
  addRequestHooks(app, options, known);
  answerErrors(app, hooks);
  readBodies(app, bodies);
  packAnswers(app);
  refuseUnlistedRoutes(app);
  await registerOpenApi(app, version);
  registerDocumentation(app, version);
  registerManual(app, options.manual);
  if (options.hasConsole) registerConsole(app);
  registerStart(app, options.hasConsole ? "/console" : "/docs");
  registerRoutes(app, options);
  return app;
}

/** Hooks with a callback instead of a promise: each one would cost every request some microseconds. */
function addRequestHooks(
  app: FastifyInstance,
  { hooks, isStopping }: FrameworkOptions,
  known: readonly KnownRoute[],
): void {
  app.decorateRequest("authority", null);
  app.decorateRequest("trace", null);
  app.decorateRequest("sentContentType", undefined);
  app.setNotFoundHandler(() => undefined);
  app.addHook("onRequest", (request, reply, done) => {
    beginAnswer(hooks, request, reply);
    // Fastify answers 415 by this header even where a body is empty or to be ignored. Deleting it would
    // make all headers slow to read.
    request.sentContentType = request.headers["content-type"];
    request.raw.headers["content-type"] = undefined;

    if (isStopping()) {
      reply.header("connection", "close");
      throw new FindlingError("shutting_down", "the server is shutting down; try again later");
    }
    const problem = requestProblem(request.raw);
    if (problem !== null) {
      reply.header("connection", "close");
      throw new FindlingError("invalid_request", `the request is not valid HTTP/1.1: it ${problem}`);
    }
    if (request.method === "OPTIONS") reply.code(204).send();
    else if (request.is404) refuseUnrouted(request, reply, known);
    else if (hasEmptyName(request)) throw new FindlingError("not_found", NOTHING_HERE);
    else done();
  });
}

/**
 * Whether a request to delete a thing names none: a path that ends in `/` is mostly that of all things, and what was
 * meant to delete the one that a variable names must not delete all where the variable is empty.
 */
function hasEmptyName({ method, url, routeOptions }: FastifyRequest): boolean {
  const { row } = routeOptions.config;
  if (method !== "DELETE" || row === undefined || row.body !== null) return false;
  if (!url.split("?", 1)[0]!.endsWith("/")) return false;
  return ROUTE_TABLE.some((other) => other.method === "DELETE" && other.path.startsWith(`${row.path}/:`));
}

/** @throws FindlingError `not_found`; `method_not_allowed` where the path takes other methods */
function refuseUnrouted(request: FastifyRequest, reply: FastifyReply, known: readonly KnownRoute[]): never {
  const methods = methodsAt(known, request.url);
  if (methods.length === 0) throw new FindlingError("not_found", NOTHING_HERE);
  reply.header("allow", methods.join(", "));
  throw new FindlingError(
    "method_not_allowed",
    `this path does not take ${request.method}, only ${methods.join(", ")}`,
  );
}

function beginAnswer(hooks: RequestHooks, request: FastifyRequest, reply: FastifyReply): void {
  // Requests that the framework refuses by itself lack what others are decorated with.
  request.trace = hooks.isTracing ? traceOf(hooks, request) : null;
  hooks.watch.begin(reply.raw, () => handledRequest(request));
  setHeaders(reply, hooks.headersFor(request.headers.origin, request.id));
}

function traceOf(hooks: RequestHooks, request: FastifyRequest): RequestTrace | null {
  const { id, method, url, headers, is404, routeOptions } = request;
  return hooks.beginTrace({ id, method, route: is404 ? null : (routeOptions.url ?? null), url, headers });
}

/** @param headers names and values in turns */
function setHeaders(reply: FastifyReply, headers: readonly string[]): void {
  for (let i = 0; i + 1 < headers.length; i += 2) reply.header(headers[i]!, headers[i + 1]);
}

function handledRequest(request: FastifyRequest): HandledRequest {
  const { id, method, url, is404, trace } = request;
  const { url: route, config } = request.routeOptions;
  const documented = route === undefined ? "none" : "documentation";
  return {
    id,
    method,
    url,
    route: route ?? null,
    operation: is404 ? "none" : (config?.row?.operationId ?? documented),
    trace,
  };
}

function answerErrors(app: FastifyInstance, hooks: RequestHooks): void {
  app.setErrorHandler((thrown, _request, reply) => {
    if (isLeaving(thrown, new ResponseCaller(reply.raw))) return reply;
    return sendRefusal(hooks, reply, thrown);
  });
}

function sendRefusal(hooks: RequestHooks, reply: FastifyReply, thrown: unknown): FastifyReply {
  const { status, headers, text, code } = hooks.refusal(thrown, reply.request.id);
  // Also where the sender wants it closed: it may still be busy sending what is let through, and would not see why.
  if (code === "rate_limited") reply.raw.shouldKeepAlive = true;
  if (status === 408) reply.header("connection", "close");
  // In the order of answers that aren't the framework's.
  reply.code(status).type(JSON_TYPE);
  setHeaders(reply, headers);
  return reply.send(text);
}

interface RouteRequest {
  readonly Params: Record<string, string>;
  readonly Querystring: Record<string, unknown>;
}

function registerRoutes(app: FastifyInstance, options: FrameworkOptions): void {
  const { hooks, handlers } = options;
  for (const row of ROUTE_TABLE) {
    const handler = handlers[row.operationId];
    if (handler === undefined) throw new TypeError(`the route ${row.method} ${row.path} has no handler`);
    const answer = answering(row, handler, options);
    app.route<RouteRequest>({
      method: row.method,
      url: row.path,
      config: { row },
      schema: openApiOperation(row),
      onRequest: (request, _reply, done) => {
        request.authority = hooks.authorize(row, request.headers, request.params);
        done();
      },
      handler: (request, reply) =>
        request.trace === null ? answer(request, reply) : request.trace.run(() => answer(request, reply)),
    });
  }
}

/** Answers a request that is let in, by the route's handler. */
function answering(
  row: RouteRow,
  handler: RouteHandler,
  { hooks, streams, unread }: FrameworkOptions,
): (request: FastifyRequest<RouteRequest>, reply: FastifyReply) => Promise<unknown> {
  return async (request, reply) => {
    try {
      if (request.bodyProblem !== null) throw request.bodyProblem;
      const answer = await handler({
        authority: request.authority!,
        client: hooks.clientOf(request.headers, request.raw.socket),
        caller: new ResponseCaller(reply.raw),
        isLocal: isLocalRequest(request.headers, request.raw.socket.remoteAddress),
        headers: request.headers,
        parameters: request.params,
        query: request.query,
        body: request.body,
      });
      if (answer instanceof EventStream) return streams.send(reply, answer);
      if (answer instanceof TextStream) return await sendTextStream(reply, answer);
      if (answer instanceof WebAnswer) return sendWebAnswer(reply, answer);
      if (answer instanceof AcceptedAnswer) return reply.code(202).type(JSON_TYPE).send(answer.text);
      if (answer instanceof ByteStream) return await sendByteStream(reply, answer);
      const parts = answer instanceof WrittenAnswer ? answer.parts() : null;
      if (parts !== null) return sendParts(reply, parts, unread);
      return reply.type(JSON_TYPE).send(successAnswer(answer, row.mirrored));
    } finally {
      if (request.body instanceof UnreadBody) releaseBody(request.body.bytes);
      request.bodyLease?.release();
    }
  };
}

/** Browsers are sent on; for others there is nothing. @param page for people */
function registerStart(app: FastifyInstance, page: string): void {
  app.route({
    method: START.method,
    url: START.path,
    schema: { hide: true },
    handler: async (request, reply) => {
      if (request.headers.accept?.includes("text/html") === true) return reply.redirect(page, 302);
      throw new FindlingError("not_found", NOTHING_HERE);
    },
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
