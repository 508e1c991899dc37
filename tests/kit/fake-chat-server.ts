import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { wholeBody } from "./whole-body.js";

export interface ChatRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly traceparent: unknown;
  readonly system: string;
  readonly prompt: string;
}

/** The answer to one request. */
export interface ChatReply {
  readonly request: ChatRequest;
  /** Resolves when the other side has closed the connection. */
  readonly closed: Promise<void>;
  /** Another status than 200, with a body. */
  refuse(status: number, body: string): void;
  /** The next piece of the text; resolves when the other side can take more. */
  say(text: string): Promise<void>;
  /** The last word. */
  finish(): void;
  /** Ends in good order, without a reason to finish. */
  breakOff(): void;
  /** Breaks the connection off. */
  reset(): void;
}

/** A server on a free port that speaks the Chat Completions format as OpenAI-compatible servers do. */
export class FakeChatServer {
  readonly replies: ChatReply[] = [];
  readonly #server: Server;
  /** Called with each request's reply. */
  answer: (reply: ChatReply) => void | Promise<void> = (reply) => saying(reply, ["A summary."]);

  private constructor() {
    this.#server = createServer((message, response) => {
      void this.#take(message, response);
    });
  }

  static async start(): Promise<FakeChatServer> {
    const fake = new FakeChatServer();
    fake.#server.listen(0, "127.0.0.1");
    await once(fake.#server, "listening");
    return fake;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** An `ai` object whose summaries come from here. */
  ai(summary: object = {}): object {
    return {
      llm_provider: "llamacpp",
      llm_base_url: `${this.origin}/v1`,
      search_summary: { model: "fake-model", ...summary },
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #take(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await wholeBody(message);
    if (body === null) return;
    const { messages } = JSON.parse(body.toString()) as {
      messages: readonly { role: string; content: string | readonly { text: string }[] }[];
    };
    const contentOf = (role: string): string => {
      const content = messages.find((each) => each.role === role)?.content ?? "";
      return typeof content === "string" ? content : content.map(({ text }) => text).join("");
    };
    const reply = replyOf(response, {
      path: message.url ?? "",
      authorization: message.headers.authorization,
      traceparent: message.headers["traceparent"],
      system: contentOf("system"),
      prompt: contentOf("user"),
    });
    this.replies.push(reply);
    await this.answer(reply);
  }
}

/** Says all of it and finishes. */
export async function saying(reply: ChatReply, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) await reply.say(piece);
  reply.finish();
}

function replyOf(response: ServerResponse, request: ChatRequest): ChatReply {
  const chunk = (members: object): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "fake-model", ...members })}\n\n`;
  const begin = (): void => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  };
  const closed = new Promise<void>((resolve) => response.once("close", resolve));
  return {
    request,
    closed,
    refuse(status, body) {
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    },
    async say(text) {
      begin();
      const choices = [{ index: 0, delta: { content: text }, finish_reason: null }];
      if (response.destroyed || response.write(chunk({ choices }))) return;
      await Promise.race([once(response, "drain"), closed]);
    },
    finish() {
      begin();
      response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
      const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
      response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
    },
    breakOff() {
      response.end();
    },
    reset() {
      response.destroy();
    },
  };
}
