import type { ServerResponse } from "node:http";
import type { HandledRequest, RequestEnd } from "./handled-request.js";
import { logRequest } from "./log/access-log.js";
import type { Logger } from "./log/logger.js";
import { countRequest, type RequestMetrics } from "./request-metrics.js";
import type { RunningRequests } from "./running-requests.js";
import { hasLeft } from "./whole-answers.js";

/** A request between its arrival and the end of its answer. */
export interface WatchedRequest {
  /** @param isWhole whether the caller has got all of the answer */
  ended(status: number, isWhole: boolean): void;
}

/** Follows requests from their arrival to the end of their answers: counts, measures and logs them. */
export class RequestWatch {
  readonly #logger: Logger;
  readonly #metrics: RequestMetrics;
  readonly #running: RunningRequests;

  constructor(logger: Logger, metrics: RequestMetrics, running: RunningRequests) {
    this.#logger = logger;
    this.#metrics = metrics;
    this.#running = running;
  }

  /** @param describe is asked when the answer has left or the caller has gone */
  begin(response: ServerResponse, describe: () => HandledRequest): void {
    const startMs = performance.now();
    this.#running.arrived();
    this.#metrics.requestArrived();
    response.once("close", () => {
      const durationMs = performance.now() - startMs;
      const request = describe();
      this.#ended(request, { status: response.statusCode, isWhole: hasLeft(response), durationMs });
    });
  }

  /**
   * As `begin`, for a request whose answer isn't Node's.
   *
   * @param startMs by `performance.now`
   */
  arrived(request: HandledRequest, startMs: number): WatchedRequest {
    this.#running.arrived();
    this.#metrics.requestArrived();
    return {
      ended: (status, isWhole) =>
        this.#ended(request, { status, isWhole, durationMs: performance.now() - startMs }),
    };
  }

  #ended(request: HandledRequest, end: RequestEnd): void {
    this.#running.ended();
    logRequest(this.#logger, request, end);
    countRequest(this.#metrics, request, end);
  }
}
