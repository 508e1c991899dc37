import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { RouteRow } from "../../contract/route-table.js";
import type { Authority } from "../../services/authority/authority.js";
import type { Services } from "../../services/create-services.js";
import type { KeyService } from "../../services/keys/key-service.js";
import type { RequestClient } from "../../services/measure/request-origin.js";
import { headersOf } from "../answers/envelope.js";
import { type ErrorAnswer, errorAnswer, reportedError } from "../answers/error-answer.js";
import type { Logger } from "../log/logger.js";
import { maskedPath, type RequestTrace } from "./access-log.js";
import { authorize } from "./authorize.js";
import { Cors } from "./cors.js";
import { ClientAddresses, requestClient } from "./request-client.js";
import { type RequestMetrics, RequestWatch } from "./request-watch.js";

export interface RequestHooksOptions {
  readonly keys: KeyService;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
  readonly tracing: Services["tracing"];
  readonly corsOrigins: readonly string[];
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

/** A request before anything is done for it. */
export interface ArrivedRequest {
  readonly id: string;
  readonly method: string;
  /** Path of the route that takes it, as the table has it; null where none does. */
  readonly route: string | null;
  /** As sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** What happens around every request, whichever way it comes in: the framework's or the short one. */
export class RequestHooks {
  /** Counts, measures and logs. */
  readonly watch: RequestWatch;
  readonly cors: Cors;
  readonly nextId: () => string = requestIds();
  /** Whether requests are traced. */
  readonly isTracing: boolean;
  readonly #keys: KeyService;
  readonly #logger: Logger;
  readonly #tracing: Services["tracing"];
  readonly #addresses: ClientAddresses;

  constructor({ keys, logger, metrics, tracing, corsOrigins, trustedProxies }: RequestHooksOptions) {
    this.#keys = keys;
    this.#logger = logger;
    this.#tracing = tracing;
    this.isTracing = tracing.isOn;
    this.#addresses = new ClientAddresses(trustedProxies);
    this.watch = new RequestWatch(logger, metrics);
    this.cors = new Cors(corsOrigins);
  }

  /**
   * The caller's authority for a route and what its path names, before anything of the body is looked at.
   *
   * @throws FindlingError 401, 403
   */
  authorize(
    row: RouteRow,
    headers: IncomingHttpHeaders,
    parameters: Readonly<Record<string, string>>,
  ): Authority {
    return authorize(this.#keys, row, { authorizationHeader: headers.authorization, parameters });
  }

  /** The person behind the request, as far as it tells. */
  clientOf(headers: IncomingHttpHeaders, socket: Socket): RequestClient {
    return requestClient(headers, this.#addresses.of(headers, socket));
  }

  /** Null where nothing is traced. Keys that a path holds are masked. */
  beginTrace({ url, ...request }: ArrivedRequest): RequestTrace | null {
    return this.#tracing.beginRequest({ ...request, path: maskedPath(url) });
  }

  /** The headers that every answer has, errors included; names and values in turns. */
  headersFor(origin: string | undefined, requestId: string): string[] {
    return headersOf({ cors: this.cors.headersFor(origin), requestId });
  }

  /** The answer for whatever was thrown; what went wrong here, and not with the request, is logged. */
  refusal(thrown: unknown, requestId: string): ErrorAnswer {
    return errorAnswer(reportedError(this.#logger, requestId, thrown));
  }
}

function requestIds(): () => string {
  let count = 0;
  const prefix = crypto.randomUUID().slice(0, 8);
  return () => `${prefix}-${(++count).toString(36)}`;
}
