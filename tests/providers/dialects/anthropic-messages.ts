import { type Dialect, event, expectHeader, throughGateway } from "./dialect.js";

const MODEL = "claude-3-5-haiku-latest";

const typed = (type: string, members: object = {}): Uint8Array => event(type, { type, ...members });

interface Body {
  readonly model: unknown;
  readonly system: readonly [{ type: string; text: unknown }];
  readonly messages: readonly [{ role: string; content: readonly [{ type: string; text: unknown }] }];
  readonly temperature: unknown;
  readonly max_tokens: unknown;
  readonly stream: unknown;
}

export const ANTHROPIC_MESSAGES: Dialect = {
  name: "anthropic",
  documentation: "https://docs.anthropic.com/en/docs/build-with-claude/streaming",
  target: (origin) => throughGateway("anthropic", MODEL, `${origin}/v1`),
  path: "/v1/messages",
  checkAuthorization(request) {
    expectHeader(request, "x-api-key", "sk-CANARY-0123456789");
    expectHeader(request, "anthropic-version", "2023-06-01");
  },
  askedFor(json) {
    const body = json as Body;
    if (body.stream !== true) throw new Error("the answer is not asked for as a stream");
    if (body.messages[0].role !== "user" || body.messages.length !== 1) throw new Error("other messages");
    return {
      model: body.model,
      system: body.system[0].text,
      prompt: body.messages[0].content[0].text,
      temperature: body.temperature,
      maxOutputTokens: body.max_tokens,
    };
  },
  contentType: "text/event-stream; charset=utf-8",
  beginning: [
    typed("message_start", {
      message: {
        id: "msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY",
        type: "message",
        role: "assistant",
        content: [],
        model: "claude-3-5-haiku-20241022",
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 11, output_tokens: 1 },
      },
    }),
    typed("content_block_start", {
      index: 0,
      content_block: { type: "thinking", thinking: "", signature: "" },
    }),
    typed("ping"),
    typed("content_block_delta", { index: 0, delta: { type: "thinking_delta", thinking: "THOUGHT" } }),
    typed("content_block_delta", { index: 0, delta: { type: "signature_delta", signature: "EqQBCgIYAhIM" } }),
    typed("content_block_stop", { index: 0 }),
    typed("content_block_start", { index: 1, content_block: { type: "text", text: "" } }),
  ],
  text: (text) => typed("content_block_delta", { index: 1, delta: { type: "text_delta", text } }),
  end: [
    typed("content_block_stop", { index: 1 }),
    typed("message_delta", {
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 7 },
    }),
    typed("message_stop"),
  ],
  withheld: [
    typed("content_block_stop", { index: 1 }),
    typed("message_delta", {
      delta: { stop_reason: "refusal", stop_sequence: null },
      usage: { output_tokens: 7 },
    }),
    typed("message_stop"),
  ],
  overloadedEvent: typed("error", { error: { type: "overloaded_error", message: "CANARY" } }),
  errorBody: (_status, message) =>
    JSON.stringify({ type: "error", error: { type: "authentication_error", message }, request_id: "req_1" }),
};
