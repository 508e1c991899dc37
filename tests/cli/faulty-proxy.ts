import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * What happens to a request: it passes; it is refused as by a busy server; its connection is lost
 * before it reaches the server, or after the server has carried it out.
 */
export type Fault = "pass" | "busy" | "lost before" | "lost after";

/** Stands between a client and a server and does to each request what the plan says. */
export class FaultyProxy {
  readonly #server: Server;
  /** Requests that something was done to. */
  faults = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(
    target: string,
    plan: (method: string, path: string) => Fault | Promise<Fault>,
  ): Promise<FaultyProxy> {
    const server = createServer();
    const proxy = new FaultyProxy(server);
    server.on("request", (incoming, answer) => {
      const decided = Promise.resolve(plan(incoming.method!, incoming.url!));
      const chunks: Buffer[] = [];
      incoming.on("error", () => undefined);
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      const carryOut = (fault: Fault): void => {
        if (fault !== "pass") proxy.faults++;
        if (fault === "lost before") {
          incoming.socket.destroy();
          return;
        }
        if (fault === "busy") {
          const body = { status: 503, message: "busy", data: { error: "busy", code: "storage_unavailable" } };
          answer.writeHead(503, { "retry-after": "0" }).end(JSON.stringify(body));
          return;
        }
        const { host: _host, connection: _connection, ...headers } = incoming.headers;
        const onwards = request(target + incoming.url!, { method: incoming.method!, headers }, (reply) => {
          if (fault === "lost after") {
            reply.resume().on("end", () => incoming.socket.destroy());
            return;
          }
          answer.writeHead(reply.statusCode!, reply.headers);
          reply.pipe(answer);
        });
        onwards.on("error", () => incoming.socket.destroy());
        onwards.end(Buffer.concat(chunks));
      };
      incoming.on("end", () => void decided.then(carryOut));
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
