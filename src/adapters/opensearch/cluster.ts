import { Client, errors } from "@opensearch-project/opensearch";
import type { FindlingError } from "../../errors/index.js";
import type { StorageHealth } from "../../ports/storage-health.js";
import { NO_TRACING, type Tracing } from "../../ports/tracing.js";
import { Circuit } from "./circuit.js";
import { clusterError, isClusterFailure, isNodeLost, LateAnswer } from "./cluster-errors.js";
import type { TimedCaller } from "./timed-caller.js";

export interface ClusterOptions {
  /** Addresses of nodes, such as `https://a:9200`: any number of one cluster's. */
  readonly urls: readonly string[];
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Certificates in PEM that nodes' own are signed by; absent: the system's. */
  readonly ca?: string | undefined;
  /** Milliseconds for one request with all its tries, unless it says otherwise. Default 30,000. */
  readonly requestTimeoutMs?: number;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing;
}

export interface ClusterRequest {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** Lines of a bulk or multi-search request, instead of a body. */
  readonly lines?: readonly unknown[];
  /** For all tries together. */
  readonly timeoutMs?: number;
  /** Statuses that are answers rather than errors. */
  readonly accepts?: readonly number[];
  readonly caller?: TimedCaller | undefined;
}

type Method = "GET" | "PUT" | "POST" | "DELETE" | "HEAD";

export interface ClusterAnswer<Body> {
  readonly status: number;
  readonly body: Body;
}

/** What became of requests: `refused` ones weren't sent, as the circuit was open. */
export type ClusterOutcome = "done" | "busy" | "failed" | "given_up" | "refused";

/** How often a request that got no answer is sent to another node. All that is sent may come twice. */
const RETRIES = 3;
/** Milliseconds before each time that a request is sent again whose node has gone: others have to notice first. */
const AFTER_LOST_NODE_MS = [50, 150, 300, 500] as const;
const REQUEST_TIMEOUT_MS = 30_000;

/** The cluster by its REST interface: several nodes, requests repeated where one fails, behind a circuit. */
export class Cluster implements StorageHealth {
  readonly #client: Client;
  readonly #timeoutMs: number;
  readonly #circuit = new Circuit(() => performance.now());
  readonly #tracing: Tracing;
  readonly #outcomes: Record<ClusterOutcome, number> = {
    done: 0,
    busy: 0,
    failed: 0,
    given_up: 0,
    refused: 0,
  };
  #lastFailure: string | null = null;
  /** By `performance.now()`: when the last request ends, where the process does. */
  #endsAt = Infinity;
  #ending: NodeJS.Timeout | undefined;
  /** What gives up each request that is under way. */
  readonly #underWay = new Set<() => void>();

  constructor(options: ClusterOptions) {
    const { urls, user, password, ca, requestTimeoutMs = REQUEST_TIMEOUT_MS, tracing = NO_TRACING } = options;
    this.#tracing = tracing;
    this.#timeoutMs = requestTimeoutMs;
    this.#client = new Client({
      nodes: [...urls],
      maxRetries: RETRIES,
      requestTimeout: requestTimeoutMs,
      resurrectStrategy: "optimistic",
      // Answers are read field by field, and documents may have fields of any name.
      disablePrototypePoisoningProtection: true,
      ...(user !== undefined && { auth: { username: user, password: password ?? "" } }),
      ...(ca !== undefined && { ssl: { ca } }),
    });
  }

  /** Why requests are refused without asking the cluster; null where they aren't. */
  get problem(): string | null {
    return this.#circuit.isOpen ? this.#lastFailure : null;
  }

  /** Requests since the start, by what became of them. */
  get outcomes(): Readonly<Record<ClusterOutcome, number>> {
    return this.#outcomes;
  }

  /**
   * @param path each segment encoded
   * @throws FindlingError `storage_unavailable`, `rate_limited`, `search_timeout`, `invalid_request`
   */
  async request<Body = unknown>(
    method: Method,
    path: string,
    request: ClusterRequest = {},
  ): Promise<ClusterAnswer<Body>> {
    const { timeoutMs = this.#timeoutMs } = request;
    const endpoint = endpointOf(path);
    const call = this.#tracing.beginCall(`${method} ${endpoint}`, {
      "db.system.name": "opensearch",
      "db.operation.name": endpoint,
      "http.request.method": method,
    });
    let failure: string | undefined;
    try {
      return await this.#circuit.through(async () => {
        const startsAt = performance.now();
        for (let attempt = 0; ; attempt++) {
          try {
            const leftMs = timeoutMs - (performance.now() - startsAt);
            return await this.#send<Body>(method, path, { ...request, timeoutMs: leftMs }, call.headers);
          } catch (error) {
            const pauseMs = isNodeLost(error) ? AFTER_LOST_NODE_MS[attempt] : undefined;
            if (pauseMs === undefined || request.caller?.isGone === true) throw error;
            await new Promise((resolve) => setTimeout(resolve, pauseMs));
          }
        }
      }, isClusterFailure);
    } catch (thrown) {
      const error = clusterError(thrown);
      this.#count(error, error === thrown);
      failure = error.code;
      throw error;
    } finally {
      call.end({}, failure);
    }
  }

  async #send<Body>(
    method: Method,
    path: string,
    { query, body, lines, timeoutMs, accepts = [], caller }: ClusterRequest & { readonly timeoutMs: number },
    headers: Readonly<Record<string, string>>,
  ): Promise<ClusterAnswer<Body>> {
    const endsAt = Math.min(this.#endsAt, caller?.endsAt ?? Infinity);
    const limitMs = Math.ceil(Math.min(timeoutMs, endsAt - performance.now()));
    if (limitMs <= 0) throw new LateAnswer();
    if (caller?.isGone === true) throw new errors.RequestAbortedError("the caller has gone");
    const sent = this.#client.transport.request(
      {
        method,
        path,
        ...(query !== undefined && { querystring: { ...query } }),
        ...(body !== undefined && { body: body as Record<string, unknown> }),
        ...(lines !== undefined && { bulkBody: lines as Record<string, unknown>[] }),
      },
      {
        ignore: [...accepts],
        headers: { ...headers },
        requestTimeout: limitMs,
      },
    );
    let isLate = false;
    const giveUp = (): void => {
      isLate = true;
      sent.abort();
    };
    const timer = setTimeout(giveUp, limitMs);
    this.#underWay.add(giveUp);
    const forget = caller?.whenGone(() => sent.abort());
    try {
      const { statusCode, body: answered } = await sent;
      this.#outcomes.done++;
      return { status: statusCode ?? 500, body: answered as Body };
    } catch (error) {
      throw isLate ? new LateAnswer() : error;
    } finally {
      clearTimeout(timer);
      this.#underWay.delete(giveUp);
      forget?.();
    }
  }

  #count({ code, message, details }: FindlingError, isRefused: boolean): void {
    if (isRefused) this.#outcomes.refused++;
    else if (code === "rate_limited") this.#outcomes.busy++;
    else if (code === "search_timeout") this.#outcomes.given_up++;
    else if (code === "invalid_request") this.#outcomes.done++;
    else {
      this.#outcomes.failed++;
      this.#lastFailure = details === undefined ? message : `${message}: ${String(details)}`;
    }
  }

  /** No request takes longer than so many milliseconds from now, whatever it was given: the process is to end. */
  endWithin(ms: number): void {
    this.#endsAt = performance.now() + ms;
    this.#ending = setTimeout(() => {
      for (const giveUp of [...this.#underWay]) giveUp();
    }, ms);
  }

  close(): Promise<void> {
    clearTimeout(this.#ending);
    return this.#client.close();
  }
}

/** What the path asks for, without names and ids: `_search`, or `_doc`. */
function endpointOf(path: string): string {
  return path.split("/").find((segment) => segment.startsWith("_")) ?? "index";
}
