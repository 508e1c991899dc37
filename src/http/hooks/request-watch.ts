import type { ServerResponse } from "node:http";
import type { Services } from "../../services/create-services.js";
import type { Logger } from "../log/logger.js";
import { type HandledRequest, logRequest, type RequestEnd } from "./access-log.js";

/** Follows requests from their arrival to the end of their answers: counts, measures and logs them. */
export class RequestWatch {
  readonly #logger: Logger;
  readonly #metrics: RequestMetrics;
  /** Those that haven't ended. */
  readonly running: RunningRequests = new RunningRequests();

  constructor(logger: Logger, metrics: RequestMetrics) {
    this.#logger = logger;
    this.#metrics = metrics;
  }

  /** @param describe is asked when the answer has left or the caller has gone */
  begin(response: ServerResponse, describe: () => HandledRequest): void {
    const startMs = performance.now();
    this.arrived();
    response.once("close", () => {
      const durationMs = performance.now() - startMs;
      const request = describe();
      this.ended(request, { status: response.statusCode, isWhole: response.writableFinished, durationMs });
    });
  }

  /** As `begin`, for a request whose answer isn't Node's: `ended` is to be called once. */
  arrived(): void {
    this.running.arrived();
    this.#metrics.requestArrived();
  }

  ended(request: HandledRequest, end: RequestEnd): void {
    this.running.ended();
    request.trace?.end(end);
    logRequest(this.#logger, request, end);
    countRequest(this.#metrics, request, end);
  }
}

/** What is told of requests, as the services' metrics have it. */
export type RequestMetrics = Pick<Services["metrics"], "requestArrived" | "requestEnded">;

type RequestFigures = Parameters<RequestMetrics["requestEnded"]>[0];

/**
 * Counts a request whose answer has left or whose caller has gone, by what it asked for and how it ended:
 * never by its path, of which callers can make up any number.
 */
function countRequest(
  metrics: RequestMetrics,
  { operation, method }: HandledRequest,
  { status, isWhole, durationMs }: RequestEnd,
): void {
  metrics.requestEnded({
    operation,
    method: methodOf(method),
    status: isWhole ? statusClassOf(status) : "aborted",
    durationMs,
  });
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

function methodOf(method: string): RequestFigures["method"] {
  return METHODS.has(method) ? (method as RequestFigures["method"]) : "other";
}

const STATUS_CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

function statusClassOf(status: number): RequestFigures["status"] {
  return STATUS_CLASSES[Math.floor(status / 100) - 1] ?? "5xx";
}

/** Counts requests between their arrival and the end of their answer, so that a stop can wait for them. */
export class RunningRequests {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  arrived(): void {
    this.#count++;
  }

  ended(): void {
    this.#count--;
    if (this.#count > 0 || this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves with true once nothing runs, with false after the time if something still does. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.#count === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
    });
    const done = new Promise<true>((resolve) => this.#waiting.push(() => resolve(true)));
    const isIdle = await Promise.race([done, timeUp]);
    clearTimeout(timer);
    return isIdle;
  }
}
