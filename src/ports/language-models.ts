import type { LlmProvider } from "../contract/ai-config.js";
import type { TraceHeaders } from "./tracing.js";

/** One request to a model, complete: nothing of it comes from anywhere else. */
export interface LanguageModelCall {
  readonly provider: LlmProvider;
  /** The provider's name of the model. */
  readonly model: string;
  /** Bedrock's. */
  readonly region?: string;
  /** The index's own base URL; its origin was allowed when it was written and is checked again here. */
  readonly baseUrl?: string;
  /** In plain text; never kept, logged or put into an error. */
  readonly apiKey?: string;
  /** Who the model is told to be and what it must do. */
  readonly system: string;
  /** What it is asked, documents included. */
  readonly prompt: string;
  /** 0 to 1. */
  readonly temperature: number;
  /** Tokens that the answer may have, at most. */
  readonly maxOutputTokens: number;
  /** Sent along; absent where nothing is traced. */
  readonly traceHeaders?: TraceHeaders;
}

export type LanguageModelPart =
  | { readonly kind: "text"; readonly text: string }
  /** Once, last, if the provider tells. */
  | {
      readonly kind: "usage";
      readonly inputTokens: number | undefined;
      readonly outputTokens: number | undefined;
    };

/**
 * Language models of all providers. A stream makes one request: whether to ask again after a failure
 * is the caller's to decide, by the error's code.
 */
export interface LanguageModels {
  /**
   * The answer piece by piece as the provider sends it; pieces are whole code points. Ending the
   * iteration early, or aborting, closes the provider's connection at once; an abort ends it with the
   * signal's reason.
   *
   * @throws FindlingError `model_refused` (credentials, unknown model or a request that the provider
   *   doesn't take: asking again doesn't help), `model_overloaded` (429, 503 or 529; with
   *   `retryAfterSeconds` if the provider says so), `model_unavailable` (anything else: not reached, 5xx, a
   *   broken stream). Their messages hold nothing that the provider sent, and no secret.
   */
  stream(call: LanguageModelCall, signal: AbortSignal): AsyncIterable<LanguageModelPart>;
  /** Closes idle connections. */
  close(): Promise<void>;
}
