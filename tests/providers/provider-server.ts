import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { wholeBody } from "../kit/whole-body.js";

export interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Resolves when the connection of this request is closed. */
  readonly closed: Promise<void>;
}

export type Answer = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

/** A server on a free port of loopback that answers as it is told, and remembers what it was asked. */
export class ProviderServer {
  readonly #server: Server;
  readonly requests: ReceivedRequest[] = [];
  #answer: Answer = (response) => void response.writeHead(500).end();

  private constructor() {
    this.#server = createServer((incoming, response) => void this.#serve(incoming, response));
  }

  static async start(): Promise<ProviderServer> {
    const server = new ProviderServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How it answers from now on; forgets the requests until now. */
  answerWith(answer: Answer): void {
    this.requests.length = 0;
    this.#answer = answer;
  }

  get lastRequest(): ReceivedRequest {
    return this.requests.at(-1)!;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const closed = new Promise<void>((resolve) => incoming.socket.once("close", () => resolve()));
    response.on("error", () => {});
    const body = await wholeBody(incoming);
    if (body === null) return;
    const request = {
      method: incoming.method!,
      path: incoming.url!,
      headers: incoming.headers,
      body: body.toString(),
      closed,
    };
    this.requests.push(request);
    await this.#answer(response, request);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Writes, and waits where the reader lags behind; false once nobody listens. */
export async function write(response: ServerResponse, bytes: Uint8Array): Promise<boolean> {
  if (response.destroyed) return false;
  if (response.write(bytes)) return true;
  const settled = new AbortController();
  const { signal } = settled;
  await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  settled.abort();
  return !response.destroyed;
}
