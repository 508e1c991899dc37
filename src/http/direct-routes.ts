import type { IncomingMessage, ServerResponse } from "node:http";
import type { RouteRow } from "../contract/route-table.js";
import type { KeyService } from "../services/keys/key-service.js";
import { authorize } from "./authorize.js";
import type { BodyBudget } from "./body/body-budget.js";
import { readSentBody } from "./body/read-json-body.js";
import type { ClientAddresses } from "./client-addresses.js";
import type { Cors } from "./cors.js";
import { errorAnswer, reportedError } from "./error-response.js";
import type { HandledRequest } from "./handled-request.js";
import { SharedAnswer } from "./json-text.js";
import type { Logger } from "./logger.js";
import { RequestCaller } from "./request-caller.js";
import { requestClient } from "./request-client.js";
import type { RequestWatch } from "./request-watch.js";
import type { RouteHandler } from "./route-handler.js";
import { JSON_TYPE, successAnswer } from "./success-answer.js";

/** A route that is answered directly: its path has one parameter, its answers are JSON. */
export interface DirectRoute {
  readonly row: RouteRow;
  readonly handler: RouteHandler;
}

export interface DirectRoutesOptions {
  readonly routes: readonly DirectRoute[];
  readonly keys: KeyService;
  readonly logger: Logger;
  readonly watch: RequestWatch;
  readonly cors: Cors;
  readonly addresses: ClientAddresses;
  readonly budget: BodyBudget;
  readonly bodyBytesMax: number;
  readonly nextId: () => string;
}

/** Nothing of it was asked for. */
const NO_QUERY = {};

/**
 * Answers what is asked most straight from Node's server, with the same checks, handlers, headers and answers
 * as the framework's route: that would take as long as the search itself (ADR 25). Only a path that is written
 * plainly is taken; every other way of writing it is the framework's business.
 */
export class DirectRoutes {
  readonly #options: DirectRoutesOptions;
  readonly #routes: readonly PlainRoute[];

  constructor(options: DirectRoutesOptions) {
    this.#options = options;
    this.#routes = options.routes.map((route) => new PlainRoute(route));
  }

  /** @returns false where the request is for somebody else to answer */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== "POST") return false;
    const url = request.url ?? "";
    for (const route of this.#routes) {
      const value = route.valueIn(url);
      if (value === null) continue;
      void this.#answer(route, value, request, response);
      return true;
    }
    return false;
  }

  async #answer(
    { row, handler, parameter }: PlainRoute,
    value: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { keys, logger, watch, cors, addresses, budget, bodyBytesMax, nextId } = this.#options;
    const { headers } = request;
    const handled: HandledRequest = {
      id: nextId(),
      method: "POST",
      url: request.url!,
      route: row.path,
      operation: row.operationId,
    };
    watch.begin(response, () => handled);
    const head = [
      ...cors.listFor(headers.origin),
      "x-request-id",
      handled.id,
      "x-content-type-options",
      "nosniff",
      "content-type",
      JSON_TYPE,
    ];
    const lease = budget.lease();
    let isReading = false;
    try {
      const parameters = { [parameter]: value };
      const authority = authorize(keys, row, { authorizationHeader: headers.authorization, parameters });
      isReading = true;
      const sentBody = await readSentBody(request, bodyBytesMax, lease);
      isReading = false;
      const answer = await handler({
        authority,
        client: requestClient(headers, addresses.of(request)),
        caller: new RequestCaller(response),
        parameters,
        query: NO_QUERY,
        sentBody,
        get body() {
          return sentBody.value;
        },
      });
      if (answer instanceof SharedAnswer) sendShared(response, head, answer);
      else send(response, 200, head, successAnswer(answer, row.mirrored));
    } catch (thrown) {
      const error = reportedError(logger, handled.id, thrown);
      const { status, retryAfter, text } = errorAnswer(error);
      if (retryAfter !== null) head.push("retry-after", String(retryAfter));
      // Who is still sending may go on for long; but what was refused for want of memory is let through, so that
      // the sender sees why, and what isn't JSON came whole.
      if (error.code === "rate_limited") response.shouldKeepAlive = true;
      else if (isReading && error.code !== "invalid_json") head.push("connection", "close");
      send(response, status, head, text);
    } finally {
      lease.release();
    }
  }
}

function send(response: ServerResponse, status: number, head: string[], body: string | Buffer): void {
  if (response.destroyed) return;
  const length = Buffer.byteLength(body);
  head.push("content-length", String(length));
  response.writeHead(status, head);
  // Of as many bytes as characters, it is ASCII, which is written in half the time of UTF-8.
  response.end(body, length === body.length ? "latin1" : "utf8");
}

/** Without copying what is shared: the socket gets all pieces by one call. */
function sendShared(response: ServerResponse, head: string[], { before, own, after }: SharedAnswer): void {
  if (response.destroyed) return;
  head.push("content-length", String(before.length + own.length + after.length));
  response.writeHead(200, head);
  response.write(before);
  response.write(own, "latin1");
  response.end(after);
}

/** A path with one parameter, found in URLs that hold nothing that would have to be decoded. */
class PlainRoute implements DirectRoute {
  readonly row: RouteRow;
  readonly handler: RouteHandler;
  readonly parameter: string;
  readonly #before: string;
  readonly #after: string;

  constructor({ row, handler }: DirectRoute) {
    const [, before, parameter, after] = /^([^:]*):(\w+)([^:]*)$/.exec(row.path) ?? [];
    if (before === undefined || parameter === undefined || after === undefined || row.method !== "POST")
      throw new TypeError(`the route ${row.method} ${row.path} can't be answered directly`);
    this.row = row;
    this.handler = handler;
    this.parameter = parameter;
    this.#before = before;
    this.#after = after;
  }

  /** The parameter's value; null where the URL is another's, or not written plainly. */
  valueIn(url: string): string | null {
    if (!url.startsWith(this.#before) || !url.endsWith(this.#after)) return null;
    const value = url.slice(this.#before.length, url.length - this.#after.length);
    return PLAIN_VALUE.test(value) ? value : null;
  }
}

const PLAIN_VALUE = /^[\w.-]+$/;
