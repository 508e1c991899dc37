import { type Dialect, event, expectHeader, throughGateway } from "./dialect.js";

const MODEL = "gpt-4.1-mini";
const REASONING = { output_index: 0, item_id: "rs_67c9fdcf21b88190b1a3c6f7b0a0e1c4", summary_index: 0 };
const ITEM = { output_index: 1, item_id: "msg_67c9fdcf37fc8190ba82116e33fb28c5" };

let sequence = 0;
function typed(type: string, members: object): Uint8Array {
  return event(type, { type, sequence_number: sequence++, ...members });
}

const response = (status: string, usage: unknown): { readonly response: object } => ({
  response: {
    id: "resp_67c9fdcecf488190bdd9a0409de3a1ec",
    object: "response",
    created_at: 1_760_000_000,
    status,
    error: null,
    incomplete_details: null,
    model: "gpt-4.1-mini-2025-04-14",
    output: [],
    service_tier: "default",
    usage,
  },
});

const reasoning = { output_index: 0, item: { id: REASONING.item_id, type: "reasoning", summary: [] } };

const message = (status: string): object => ({
  output_index: 1,
  item: { id: ITEM.item_id, type: "message", status, role: "assistant", content: [] },
});

interface Body {
  readonly model: unknown;
  readonly input: readonly [
    { role: string; content: unknown },
    { role: string; content: [{ type: string; text: unknown }] },
  ];
  readonly temperature: unknown;
  readonly max_output_tokens: unknown;
  readonly stream: unknown;
  readonly store: unknown;
}

export const OPENAI_RESPONSES: Dialect = {
  name: "openai: Responses",
  documentation: "https://platform.openai.com/docs/api-reference/responses-streaming",
  target: (origin) => throughGateway("openai", MODEL, `${origin}/v1`),
  path: "/v1/responses",
  checkAuthorization: (request) => expectHeader(request, "authorization", "Bearer sk-CANARY-0123456789"),
  askedFor(json) {
    const body = json as Body;
    if (body.stream !== true) throw new Error("the answer is not asked for as a stream");
    if (body.store !== false) throw new Error("the documents would be stored");
    const [system, user] = body.input;
    if (system.role !== "system" || user.role !== "user") throw new Error("other roles");
    if (user.content[0].type !== "input_text") throw new Error("another kind of input");
    return {
      model: body.model,
      system: system.content,
      prompt: user.content[0].text,
      temperature: body.temperature,
      maxOutputTokens: body.max_output_tokens,
    };
  },
  contentType: "text/event-stream; charset=utf-8",
  beginning: [
    typed("response.created", response("in_progress", null)),
    typed("response.in_progress", response("in_progress", null)),
    typed("response.output_item.added", reasoning),
    typed("response.reasoning_summary_part.added", {
      ...REASONING,
      part: { type: "summary_text", text: "" },
    }),
    typed("response.reasoning_summary_text.delta", { ...REASONING, delta: "THOUGHT" }),
    typed("response.output_item.done", reasoning),
    typed("response.output_item.added", message("in_progress")),
    typed("response.content_part.added", {
      ...ITEM,
      content_index: 0,
      part: { type: "output_text", text: "", annotations: [] },
    }),
  ],
  text: (delta) => typed("response.output_text.delta", { ...ITEM, content_index: 0, delta, logprobs: [] }),
  end: [
    typed("response.output_text.done", { ...ITEM, content_index: 0, text: "", logprobs: [] }),
    typed("response.output_item.done", message("completed")),
    typed(
      "response.completed",
      response("completed", {
        input_tokens: 11,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 18,
      }),
    ),
  ],
  withheld: [
    typed("response.incomplete", {
      response: {
        ...response("incomplete", null).response,
        incomplete_details: { reason: "content_filter" },
      },
    }),
  ],
  overloadedEvent: typed("error", { code: "rate_limit_exceeded", message: "CANARY", param: null }),
  errorBody: (_status, text) =>
    JSON.stringify({
      error: { message: text, type: "invalid_request_error", param: null, code: "invalid_api_key" },
    }),
};
