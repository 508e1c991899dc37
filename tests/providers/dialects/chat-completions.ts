import type { LlmProvider } from "../../../src/contract/ai-config.js";
import {
  type AskedFor,
  type Dialect,
  event,
  expectHeader,
  throughBaseUrl,
  throughGateway,
} from "./dialect.js";

interface Flavour {
  readonly name: string;
  readonly documentation: string;
  readonly provider: LlmProvider;
  readonly model: string;
  /** By base URL of the index, or by the operator's gateway. */
  readonly through: "base URL" | "gateway";
  /** What is appended to the server's origin to name it. */
  readonly basePath: string;
  readonly path: string;
  /** The request's member for the limit of tokens. */
  readonly limitMember: string;
  /** Members that all chunks have. */
  readonly chunk: Readonly<Record<string, unknown>>;
  /** Whether the tokens come in the last chunk that has a choice, or in one of their own. */
  readonly usage: "with the last choice" | "by itself";
  readonly moreUsage?: Readonly<Record<string, unknown>>;
  /** The deltas before the text; what a model thinks among them. */
  readonly beginning: readonly unknown[];
  /** Whether a choice that goes on says so. */
  readonly saysUnfinished: boolean;
  readonly errorBody: (status: number, message: string) => unknown;
}

function chatCompletions(flavour: Flavour): Dialect {
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18, ...flavour.moreUsage };
  const chunk = (choices: readonly unknown[], more = {}): Uint8Array =>
    event(undefined, {
      object: "chat.completion.chunk",
      created: 1_760_000_000,
      ...flavour.chunk,
      choices,
      ...more,
    });
  const choice = (delta: unknown, finish_reason: string | null = null): unknown => ({
    index: 0,
    delta,
    ...((finish_reason !== null || flavour.saysUnfinished) && { finish_reason }),
  });
  return {
    name: flavour.name,
    documentation: flavour.documentation,
    target: (origin) =>
      flavour.through === "gateway"
        ? throughGateway(flavour.provider, flavour.model, origin + flavour.basePath)
        : throughBaseUrl(flavour.provider, flavour.model, origin + flavour.basePath),
    path: flavour.path,
    checkAuthorization: (request) => expectHeader(request, "authorization", "Bearer sk-CANARY-0123456789"),
    askedFor: (body) => askedFor(body as ChatBody, flavour.limitMember),
    contentType: "text/event-stream; charset=utf-8",
    beginning: flavour.beginning.map((delta) => chunk([choice(delta)])),
    text: (piece) => chunk([choice({ content: piece })]),
    end:
      flavour.usage === "by itself"
        ? [chunk([choice({}, "stop")]), chunk([], { usage }), event(undefined, "[DONE]")]
        : [chunk([choice({ content: "" }, "stop")], { usage }), event(undefined, "[DONE]")],
    withheld:
      flavour.provider === "mistral"
        ? []
        : [chunk([choice({}, "content_filter")]), event(undefined, "[DONE]")],
    overloadedEvent: event(undefined, {
      error: { message: "CANARY", type: "rate_limit_exceeded", param: null, code: "rate_limit_exceeded" },
    }),
    errorBody: (status, message) => JSON.stringify(flavour.errorBody(status, message)),
  };
}

interface ChatBody {
  readonly model: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly temperature: unknown;
  readonly stream: unknown;
  readonly [member: string]: unknown;
}

function askedFor(body: ChatBody, limitMember: string): AskedFor {
  if (body.stream !== true) throw new Error("the answer is not asked for as a stream");
  if ("store" in body) throw new Error("compatible servers need not know this member");
  const [system, user, ...rest] = body.messages;
  if (system?.role !== "system" || user?.role !== "user" || rest.length > 0)
    throw new Error("other messages");
  const prompt = Array.isArray(user.content) ? (user.content[0] as { text: unknown }).text : user.content;
  return {
    model: body.model,
    system: system.content,
    prompt,
    temperature: body.temperature,
    maxOutputTokens: body[limitMember],
  };
}

const openaiError = (_status: number, message: string): unknown => ({
  error: { message, type: "invalid_request_error", param: null, code: "invalid_api_key" },
});

export const CHAT_COMPLETIONS: readonly Dialect[] = [
  chatCompletions({
    name: "openai with a base URL: Chat Completions",
    documentation: "https://platform.openai.com/docs/api-reference/chat-streaming",
    provider: "openai",
    model: "gpt-4.1-mini",
    through: "base URL",
    basePath: "/openai/v1",
    path: "/openai/v1/chat/completions",
    limitMember: "max_tokens",
    chunk: {
      id: "chatcmpl-1",
      model: "gpt-4.1-mini-2025-04-14",
      service_tier: "default",
      system_fingerprint: "fp_44709d6fcb",
    },
    beginning: [{ role: "assistant", content: "" }, { reasoning_content: "THOUGHT" }],
    saysUnfinished: true,
    usage: "by itself",
    moreUsage: {
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
    errorBody: openaiError,
  }),
  chatCompletions({
    name: "mistral",
    documentation: "https://docs.mistral.ai/api/endpoint/chat",
    provider: "mistral",
    model: "mistral-small-latest",
    through: "gateway",
    basePath: "/v1",
    path: "/v1/chat/completions",
    limitMember: "max_tokens",
    chunk: { id: "cmpl-e5cc70bb28c444948073e77776eb30ef", model: "mistral-small-latest" },
    beginning: [
      { role: "assistant", content: "" },
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "THOUGHT" }] }] },
    ],
    saysUnfinished: true,
    usage: "with the last choice",
    errorBody: (status, message) => ({
      object: "error",
      message,
      type: "invalid_request_error",
      param: null,
      code: String(status),
    }),
  }),
  chatCompletions({
    name: "xai",
    documentation: "https://docs.x.ai/docs/api-reference#chat-completions",
    provider: "xai",
    model: "grok-3-mini",
    through: "gateway",
    basePath: "/v1",
    path: "/v1/chat/completions",
    limitMember: "max_completion_tokens",
    chunk: {
      id: "46e05b0b-a2b6-4f1c-a1d5-0d0e3ff0b2b1",
      model: "grok-3-mini",
      system_fingerprint: "fp_156d35dcaa",
    },
    beginning: [{ role: "assistant", reasoning_content: "THOU" }, { reasoning_content: "GHT" }],
    saysUnfinished: false,
    usage: "by itself",
    moreUsage: {
      prompt_tokens_details: { text_tokens: 11, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
    },
    errorBody: (_status, message) => ({ code: "Client specified an invalid argument", error: message }),
  }),
  chatCompletions({
    name: "ollama",
    documentation: "https://docs.ollama.com/api/openai-compatibility",
    provider: "ollama",
    model: "llama3.2",
    through: "base URL",
    basePath: "",
    path: "/v1/chat/completions",
    limitMember: "max_tokens",
    chunk: { id: "chatcmpl-421", model: "llama3.2", system_fingerprint: "fp_ollama" },
    beginning: [{ role: "assistant", content: "", reasoning: "THOUGHT" }],
    saysUnfinished: true,
    usage: "by itself",
    errorBody: (_status, message) => ({ error: { message, type: "api_error", param: null, code: null } }),
  }),
  chatCompletions({
    name: "llamacpp",
    documentation: "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
    provider: "llamacpp",
    model: "any",
    through: "base URL",
    basePath: "/",
    path: "/v1/chat/completions",
    limitMember: "max_tokens",
    chunk: { id: "chatcmpl-k1", model: "any", system_fingerprint: "b11549" },
    beginning: [{ role: "assistant", content: null }, { reasoning_content: "THOUGHT" }],
    saysUnfinished: true,
    usage: "by itself",
    errorBody: (status, message) => ({ error: { code: status, message, type: "authentication_error" } }),
  }),
];
