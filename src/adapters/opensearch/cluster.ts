import { Client } from "@opensearch-project/opensearch";
import type { SearchCaller } from "../../ports/search-backend.js";
import { NO_TRACING, type Tracing } from "../../ports/tracing.js";
import { Circuit } from "./circuit.js";
import { clusterError, isClusterFailure } from "./cluster-errors.js";

export interface ClusterOptions {
  /** Addresses of nodes, such as `https://a:9200`: any number of one cluster's. */
  readonly urls: readonly string[];
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Certificates in PEM that nodes' own are signed by; absent: the system's. */
  readonly ca?: string | undefined;
  /** Milliseconds for one request, unless it says otherwise. Default 30,000. */
  readonly requestTimeoutMs?: number;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing;
}

export interface ClusterRequest {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** Lines of a bulk or multi-search request, instead of a body. */
  readonly lines?: readonly unknown[];
  readonly timeoutMs?: number;
  /** Statuses that are answers rather than errors. */
  readonly accepts?: readonly number[];
  readonly caller?: SearchCaller | undefined;
}

export interface ClusterAnswer<Body> {
  readonly status: number;
  readonly body: Body;
}

/** How often a request that got no answer is sent to another node. All that is sent may come twice. */
const RETRIES = 3;
const REQUEST_TIMEOUT_MS = 30_000;

/** The cluster by its REST interface: several nodes, requests repeated where one fails, behind a circuit. */
export class Cluster {
  readonly #client: Client;
  readonly #circuit = new Circuit(() => performance.now());
  readonly #tracing: Tracing;

  constructor(options: ClusterOptions) {
    const { urls, user, password, ca, requestTimeoutMs = REQUEST_TIMEOUT_MS, tracing = NO_TRACING } = options;
    this.#tracing = tracing;
    this.#client = new Client({
      nodes: [...urls],
      maxRetries: RETRIES,
      requestTimeout: requestTimeoutMs,
      resurrectStrategy: "optimistic",
      ...(user !== undefined && { auth: { username: user, password: password ?? "" } }),
      ...(ca !== undefined && { ssl: { ca } }),
    });
  }

  /** Whether requests are refused without asking the cluster. */
  get isCutOff(): boolean {
    return this.#circuit.isOpen;
  }

  /**
   * @param path each segment encoded
   * @throws FindlingError `storage_unavailable`, `rate_limited`, `search_timeout`, `invalid_request`
   */
  async request<Body = unknown>(
    method: "GET" | "PUT" | "POST" | "DELETE" | "HEAD",
    path: string,
    { query, body, lines, timeoutMs, accepts = [], caller }: ClusterRequest = {},
  ): Promise<ClusterAnswer<Body>> {
    const endpoint = endpointOf(path);
    const call = this.#tracing.beginCall(`${method} ${endpoint}`, {
      "db.system.name": "opensearch",
      "db.operation.name": endpoint,
      "http.request.method": method,
    });
    let failure: string | undefined;
    try {
      return await this.#circuit.through(async () => {
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
            headers: { ...call.headers },
            ...(timeoutMs !== undefined && { requestTimeout: timeoutMs }),
          },
        );
        const forget = caller?.whenGone(() => sent.abort());
        try {
          const { statusCode, body: answered } = await sent;
          return { status: statusCode ?? 500, body: answered as Body };
        } finally {
          forget?.();
        }
      }, isClusterFailure);
    } catch (thrown) {
      const error = clusterError(thrown);
      failure = error.code;
      throw error;
    } finally {
      call.end({}, failure);
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** What the path asks for, without names and ids: `_search`, or `_doc`. */
function endpointOf(path: string): string {
  return path.split("/").find((segment) => segment.startsWith("_")) ?? "index";
}
