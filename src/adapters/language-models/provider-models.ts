import type { AnthropicProvider } from "@ai-sdk/anthropic";
import { loadOptional } from "../../errors/index.js";
import type { LanguageModelCall } from "../../ports/language-models.js";
import type { BaseUrl } from "./base-url.js";
import type { BedrockAccess } from "./bedrock-access.js";
import { refused } from "./model-errors.js";

/** What the SDK's providers have in common. */
export type ProviderModel = ReturnType<AnthropicProvider["languageModel"]>;

export interface ProviderModelOptions {
  readonly call: LanguageModelCall;
  readonly base: BaseUrl;
  readonly fetch: typeof globalThis.fetch;
  readonly bedrock: BedrockAccess;
  readonly signal: AbortSignal;
}

/**
 * The SDK's model for a call. Its packages are loaded when a call first needs them. Key and base URL
 * are always given: where they are not, the SDK takes them from the environment, and one index
 * would spend another's.
 *
 * @throws FindlingError `model_refused` if a key is missing that the provider needs, `not_supported` if its package is
 */
export async function providerModel(options: ProviderModelOptions): Promise<ProviderModel> {
  const { call, base, fetch } = options;
  const { model } = call;
  const baseURL = base.url.href.replace(/\/$/, "");
  const apiKey = sendableKey(call.apiKey);
  switch (call.provider) {
    case "anthropic": {
      const { createAnthropic } = await loadOptional("@ai-sdk/anthropic", () => import("@ai-sdk/anthropic"));
      return createAnthropic({ baseURL, apiKey: required(apiKey), fetch }).languageModel(model);
    }
    case "bedrock": {
      const { createAmazonBedrock } = await loadOptional(
        "@ai-sdk/amazon-bedrock",
        () => import("@ai-sdk/amazon-bedrock"),
      );
      const { region = "" } = call;
      const { bedrock, signal } = options;
      const access = await bedrock.of({ apiKey, isUrlOfIndex: base.isOfIndex, signal });
      return createAmazonBedrock({ baseURL, region, fetch, ...access }).languageModel(model);
    }
    case "google": {
      const { createGoogleGenerativeAI } = await loadOptional(
        "@ai-sdk/google",
        () => import("@ai-sdk/google"),
      );
      return createGoogleGenerativeAI({ baseURL, apiKey: required(apiKey), fetch }).languageModel(model);
    }
    case "mistral": {
      const { createMistral } = await loadOptional("@ai-sdk/mistral", () => import("@ai-sdk/mistral"));
      return createMistral({ baseURL, apiKey: required(apiKey), fetch }).languageModel(model);
    }
    case "openai": {
      const { createOpenAI } = await loadOptional("@ai-sdk/openai", () => import("@ai-sdk/openai"));
      const openai = createOpenAI({ baseURL, apiKey: required(apiKey), fetch });
      // Servers that are compatible with OpenAI have Chat Completions, and seldom Responses.
      return base.isOfIndex ? openai.chat(model) : openai.responses(model);
    }
    case "xai": {
      const { createXai } = await loadOptional("@ai-sdk/xai", () => import("@ai-sdk/xai"));
      return createXai({ baseURL, apiKey: required(apiKey), fetch }).languageModel(model);
    }
    case "llamacpp":
    case "ollama": {
      const { createOpenAICompatible } = await loadOptional(
        "@ai-sdk/openai-compatible",
        () => import("@ai-sdk/openai-compatible"),
      );
      const server = createOpenAICompatible({
        name: call.provider,
        baseURL,
        fetch,
        // Without it they don't tell the tokens.
        includeUsage: true,
        ...(apiKey !== undefined && { apiKey }),
      });
      return server.chatModel(model);
    }
  }
}

function required(apiKey: string | undefined): string {
  if (apiKey === undefined) throw refused("the index has no API key");
  return apiKey;
}

/** The SDK and Node would say what is wrong with such a key by quoting it. */
function sendableKey(apiKey: string | undefined): string | undefined {
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw refused("the API key has characters that no key can have");
  }
  return apiKey;
}
