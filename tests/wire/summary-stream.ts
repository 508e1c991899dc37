import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from "node:http";
import { ADMIN, type WireServer } from "./wire-server.js";

export interface ReceivedEvent {
  readonly name: string;
  readonly data: Record<string, unknown>;
}

/** The answer to a summary's request, read piece by piece. */
export class SummaryStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #message: ClientRequest;
  readonly #response: IncomingMessage;
  #text = "";
  #isEnded = false;
  #isBroken = false;
  #wake: () => void = () => undefined;

  private constructor(message: ClientRequest, response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.#message = message;
    this.#response = response;
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      this.#text += text;
      this.#wake();
    });
    const ended = (): void => {
      this.#isEnded = true;
      this.#wake();
    };
    response.on("error", () => {
      this.#isBroken = true;
      ended();
    });
    response.on("end", ended);
  }

  /** Resolves with the answer's head. */
  static open(
    server: WireServer,
    index: string,
    body: object,
    { key = ADMIN, headers = {} }: { readonly key?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<SummaryStream> {
    const bytes = Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const message = request(
        {
          port: server.running.address.port,
          host: "127.0.0.1",
          method: "POST",
          path: `/index/${index}/search/summary`,
          headers: {
            authorization: key,
            "content-type": "application/json",
            "content-length": bytes.length,
            ...headers,
          },
          agent: new Agent({ maxSockets: Number.POSITIVE_INFINITY }),
        },
        (response) => resolve(new SummaryStream(message, response)),
      );
      message.on("error", reject);
      message.end(bytes);
    });
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Everything received so far. */
  get text(): string {
    return this.#text;
  }

  get events(): readonly ReceivedEvent[] {
    return [...this.#text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, name, data]) => ({
      name: name!,
      data: JSON.parse(data!) as Record<string, unknown>,
    }));
  }

  /** The deltas so far, together. */
  get summary(): string {
    return this.events.map(({ name, data }) => (name === "delta" ? String(data["content"]) : "")).join("");
  }

  /** Resolves when what has been received satisfies it, or nothing more will come. */
  async until(isEnough: (stream: SummaryStream) => boolean): Promise<this> {
    while (!isEnough(this) && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this;
  }

  /** All of it. */
  end(): Promise<this> {
    return this.until(() => false);
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  /** Closes the connection. */
  leave(): void {
    this.#message.destroy();
  }
}
