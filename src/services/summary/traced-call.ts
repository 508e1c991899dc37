import type { LlmProvider } from "../../contract/ai-config.js";
import type { LanguageModelCall } from "../../ports/language-models.js";
import type { OpenCall, SpanAttributes, Tracing } from "../../ports/tracing.js";
import type { ModelCallCost } from "./model-call.js";

/** The providers' names in OpenTelemetry's conventions for generative models; those without one keep their own. */
const PROVIDER_NAMES: Readonly<Partial<Record<LlmProvider, string>>> = {
  bedrock: "aws.bedrock",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  xai: "x_ai",
};

/** Characters of a text that are recorded. */
const TEXT_LENGTH_MAX = 10_000;

/** One call of a model, retries included, as a trace shows it; nothing that is asked or said unless texts may be recorded. */
export class TracedCall {
  readonly #call: OpenCall;
  readonly #recordsTexts: boolean;
  #said = "";

  constructor(tracing: Tracing, call: LanguageModelCall, indexName: string) {
    const { provider, model, temperature, maxOutputTokens } = call;
    this.#recordsTexts = tracing.recordsTexts;
    this.#call = tracing.beginCall(`chat ${model}`, {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": PROVIDER_NAMES[provider] ?? provider,
      "gen_ai.request.model": model,
      "gen_ai.request.max_tokens": maxOutputTokens,
      "gen_ai.request.temperature": temperature,
      "findling.index": indexName,
      ...(this.#recordsTexts && asked(call)),
    });
  }

  /** The call as it is to be sent. */
  withTrace(call: LanguageModelCall): LanguageModelCall {
    const { headers } = this.#call;
    return Object.keys(headers).length === 0 ? call : { ...call, traceHeaders: headers };
  }

  said(words: string): void {
    if (this.#recordsTexts && this.#said.length < TEXT_LENGTH_MAX) this.#said += words;
  }

  /** @param outcome as the log has it */
  end(outcome: string, { attempts, inputTokens, outputTokens }: ModelCallCost): void {
    const isFailure = outcome !== "done" && outcome !== "given_up";
    this.#call.end(
      {
        "gen_ai.usage.input_tokens": inputTokens,
        "gen_ai.usage.output_tokens": outputTokens,
        "findling.model.attempts": attempts,
        "findling.model.outcome": outcome,
        ...(this.#recordsTexts && { "gen_ai.output.messages": messages("assistant", this.#said) }),
      },
      isFailure ? outcome : undefined,
    );
  }
}

function asked({ system, prompt }: LanguageModelCall): SpanAttributes {
  return {
    "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: cut(system) }]),
    "gen_ai.input.messages": messages("user", prompt),
  };
}

function messages(role: string, text: string): string {
  return JSON.stringify([{ role, parts: [{ type: "text", content: cut(text) }] }]);
}

function cut(text: string): string {
  return text.slice(0, TEXT_LENGTH_MAX);
}
