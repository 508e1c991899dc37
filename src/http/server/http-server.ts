import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { type OperationId, ROUTE_TABLE } from "../../contract/route-table.js";
import { UnreadAnswers } from "../answers/unread-answers.js";
import { ExpectedBodies } from "../body/expected-bodies.js";
import { type BodyLimits, bodyBudgets } from "../body/json-body.js";
import { BODY_SILENCE_MS } from "../body/read-body.js";
import type { ManualSearch } from "../docs/manual-search.js";
import { EventStreams } from "../event-stream/event-streams.js";
import type { Timers } from "../event-stream/watch.js";
import { RequestHooks, type RequestHooksOptions } from "../hooks/request-hooks.js";
import type { RouteHandlers } from "../routes/route-handler.js";
import { PlainRoute } from "../short-way/plain-head.js";
import { ShortWay } from "../short-way/short-way.js";
import { createFramework } from "./framework.js";
import { NodeServer } from "./node-server.js";
import { type TlsFiles, TlsServer } from "./tls-server.js";

export interface HttpServerOptions extends RequestHooksOptions {
  readonly handlers: RouteHandlers;
  readonly bodyLimits: BodyLimits;
  /** What the bodies of all running requests may take together; a request by itself is always let through. */
  readonly bodiesBytesMax: number;
  /** How long nothing of a body may arrive before its sender is answered 408. Default 30 s. */
  readonly bodySilenceMs?: number;
  /** What answers that wait for their readers may take together; one by itself may be larger. */
  readonly answersBytesMax: number;
  readonly timers: Timers;
  /** Null: connections aren't encrypted. */
  readonly tls: TlsFiles | null;
  /** Whether the console is served. */
  readonly hasConsole: boolean;
  /** What finds places in the manual; closed with the server. */
  readonly manual: ManualSearch;
  /** The package's version; shown in the OpenAPI document. */
  readonly version: string;
}

/**
 * How long a connection may rest between two requests: longer than what load balancers keep one for (60 s), since who
 * closes first had better be the one that sends.
 */
const RESTING_TIMEOUT_MS = 72_000;

/** How long a connection may be silent at first: as Node's server has it for heads. */
const FIRST_TIMEOUT_MS = 60_000;

/** Beyond the time that a stop waits, for the last words of streams that it ends. */
const LAST_WORDS_MS = 500;

/** Searches, which are most of what is asked. */
const SHORT_OPERATIONS: ReadonlySet<OperationId> = new Set<OperationId>(["searchIndex", "searchFederation"]);

/** The web surface: one server over the route table. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #hooks: RequestHooks;
  readonly #streams: EventStreams;
  #app: FastifyInstance | null = null;
  #shortWay: ShortWay | null = null;
  #tls: TlsServer | null = null;
  #isStopping = false;

  private constructor(options: HttpServerOptions) {
    const { logger, timers } = options;
    this.#options = options;
    this.#hooks = new RequestHooks(options);
    this.#streams = new EventStreams(timers, (error) => logger.error({ err: error }, "a stream failed"));
  }

  static async create(options: HttpServerOptions): Promise<HttpServer> {
    const server = new HttpServer(options);
    await server.#open();
    return server;
  }

  /**
   * @throws what Node reports where the address can't be listened on, such as EADDRINUSE, and of certificate and key that
   *   can't be used
   */
  async listen(host: string, port: number): Promise<AddressInfo> {
    const app = this.#app!;
    const { tls, logger } = this.#options;
    if (tls !== null) {
      // Every connection is one of the server's that it would have taken itself.
      this.#tls = new TlsServer(tls, logger, (socket) => app.server.emit("connection", socket));
      return this.#tls.listen(host, port);
    }
    await app.listen({ host, port });
    return app.server.address() as AddressInfo;
  }

  /**
   * Refuses new requests with 503, waits for the running ones at most that long, ends the streams among
   * them with a word that says why, then closes every connection.
   */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    const { running } = this.#hooks.watch;
    let isIdle = await running.idle(timeoutMs);
    if (!isIdle) {
      this.#streams.stop();
      isIdle = await running.idle(LAST_WORDS_MS);
    }
    if (!isIdle) {
      this.#options.logger.warn({ requests: running.count }, "requests still running are cut off");
    }
    const app = this.#app!;
    this.#tls?.close();
    const closed = app.close();
    app.server.closeAllConnections();
    this.#shortWay?.closeAll();
    await closed;
    await this.#options.manual.close();
  }

  async #open(): Promise<void> {
    const {
      handlers,
      bodyLimits,
      bodiesBytesMax,
      bodySilenceMs,
      answersBytesMax,
      version,
      hasConsole,
      manual,
    } = this.#options;
    const hooks = this.#hooks;
    const isStopping = (): boolean => this.#isStopping;
    const budgets = bodyBudgets(bodiesBytesMax);
    const expected = new ExpectedBodies();
    const unread = new UnreadAnswers(answersBytesMax);
    let node: NodeServer | undefined;
    const app = await createFramework({
      hooks,
      handlers,
      streams: this.#streams,
      unread,
      bodies: { limits: bodyLimits, budgets, expected, silenceMs: bodySilenceMs ?? BODY_SILENCE_MS },
      isStopping,
      hasConsole,
      manual,
      version,
      createServer: (framework) => {
        node = new NodeServer(framework, { restingMs: RESTING_TIMEOUT_MS, unread, expected });
        return node.server;
      },
      isDone: (socket) => node!.isDone(socket),
    });
    this.#app = app;
    this.#shortWay = new ShortWay({
      routes: shortRoutes(handlers),
      hooks,
      budget: budgets.standard,
      unread,
      isStopping,
      restingMs: RESTING_TIMEOUT_MS,
      firstMs: FIRST_TIMEOUT_MS,
      node: node!,
    });
    await app.ready();
  }
}

function shortRoutes(handlers: RouteHandlers): readonly PlainRoute[] {
  const rows = ROUTE_TABLE.filter(({ operationId }) => SHORT_OPERATIONS.has(operationId));
  return rows.map((row) => new PlainRoute({ row, handler: handlers[row.operationId] }));
}
