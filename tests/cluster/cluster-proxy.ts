import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * What a request meets: nothing; an answer of another status without being carried out; a connection that breaks before
 * or after it was carried out; half of its answer; silence for so many milliseconds first; or being carried out with more in its query string.
 */
export type ClusterFault =
  | "pass"
  | "lost before"
  | "lost after"
  | "half"
  | { readonly status: number; readonly type?: string }
  | { readonly delayMs: number }
  | { readonly moreQuery: string };

/** A request as the proxy sees it. */
export interface ProxiedRequest {
  readonly method: string;
  /** With its query string. */
  readonly path: string;
}

/** Stands before a node of a cluster and does to each request what the plan of the moment says. */
export class ClusterProxy {
  readonly #server: Server;
  /** What requests meet from now on. */
  plan: (request: ProxiedRequest) => ClusterFault = () => "pass";
  /** Requests that something was done to. */
  faults = 0;
  /** Requests that have arrived. */
  arrived = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(target: string): Promise<ClusterProxy> {
    const server = createServer();
    const proxy = new ClusterProxy(server);
    server.on("request", (incoming, answer) => {
      proxy.arrived++;
      const fault = proxy.plan({ method: incoming.method!, path: incoming.url! });
      if (fault !== "pass") proxy.faults++;
      const chunks: Buffer[] = [];
      incoming.on("error", () => undefined);
      answer.on("error", () => undefined);
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        const pass = (): void => {
          const { host: _host, connection: _connection, ...headers } = incoming.headers;
          const more = typeof fault === "object" && "moreQuery" in fault ? `&${fault.moreQuery}` : "";
          const onwards = request(
            target + incoming.url! + more,
            { method: incoming.method!, headers },
            (reply) => {
              const answered: Buffer[] = [];
              reply.on("data", (chunk: Buffer) => answered.push(chunk));
              reply.on("error", () => incoming.socket.destroy());
              reply.on("end", () => {
                const body = Buffer.concat(answered);
                if (fault === "lost after") return void incoming.socket.destroy();
                if (fault === "half") {
                  answer.writeHead(reply.statusCode!, { ...reply.headers, "content-length": body.length });
                  answer.write(body.subarray(0, body.length >> 1), () => incoming.socket.destroy());
                  return;
                }
                answer.writeHead(reply.statusCode!, reply.headers).end(body);
              });
            },
          );
          onwards.on("error", () => incoming.socket.destroy());
          onwards.end(Buffer.concat(chunks));
        };
        if (fault === "lost before") incoming.socket.destroy();
        else if (typeof fault === "object" && "status" in fault) {
          const { status, type = "planted_exception" } = fault;
          const problem = { type, reason: "planted" };
          const body = { error: { ...problem, root_cause: [problem] }, status };
          answer.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
        } else if (typeof fault === "object" && "delayMs" in fault) setTimeout(pass, fault.delayMs).unref();
        else pass();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
