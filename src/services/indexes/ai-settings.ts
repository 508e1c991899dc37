import {
  type AiConfig,
  type LlmProvider,
  MASKED_SECRET,
  type SearchSummaryConfig,
  type StoredAiConfig,
} from "../../contract/ai-config.js";
import { invalidSchema } from "./invalid-schema.js";

/** Who the model is told to be, unless the index says otherwise. */
const DEFAULT_ROLE = "You are a helpful assistant skilled at creating comprehensive summaries.";

type Requirement = "llm_region" | "llm_base_url" | "llm_api_key";

const REQUIREMENTS = {
  anthropic: "llm_api_key",
  bedrock: "llm_region",
  google: "llm_api_key",
  llamacpp: "llm_base_url",
  mistral: "llm_api_key",
  ollama: null,
  openai: "llm_api_key",
  xai: "llm_api_key",
} as const satisfies Record<LlmProvider, Requirement | null>;

export interface AiRules {
  /** What the index has now: a masked key stands for the one in it. */
  readonly stored: StoredAiConfig | undefined;
  /** Origins that a base URL may have. */
  readonly allowedBaseUrls: readonly string[];
}

/**
 * An `ai` object ready to be stored: secret in place, defaults filled in (contract 4.4).
 *
 * @throws FindlingError `invalid_schema`
 */
export function completeAiConfig(draft: AiConfig, rules: AiRules): StoredAiConfig {
  const config = draft.llm_api_key === MASKED_SECRET ? withStoredSecret(draft, rules.stored) : draft;
  const requirement = REQUIREMENTS[config.llm_provider];
  if (requirement !== null && config[requirement] === undefined) {
    throw invalidSchema(
      `ai.${requirement}`,
      `'ai.${requirement}' is missing, the provider ${config.llm_provider} needs it`,
    );
  }
  if (config.llm_base_url !== undefined) requireAllowedBaseUrl(config.llm_base_url, rules.allowedBaseUrls);
  if (config.search_summary === undefined) return config;
  return { ...config, search_summary: completeSummary(config.search_summary) };
}

/** Settings with the secret covered, for answers. */
export function maskAiConfig(config: StoredAiConfig): AiConfig {
  const { llm_api_key: secret, ...shown } = config;
  return secret === undefined ? shown : { ...shown, llm_api_key: MASKED_SECRET };
}

/** The stored key goes only where it went before, or a caller could have it sent to a server of its own. */
function withStoredSecret(draft: AiConfig, stored: StoredAiConfig | undefined): StoredAiConfig {
  if (stored?.llm_api_key === undefined) {
    throw invalidSchema(
      "ai.llm_api_key",
      "'ai.llm_api_key' is masked but no key is stored, send the key itself",
    );
  }
  const hasMoved =
    draft.llm_provider !== stored.llm_provider ||
    draft.llm_region !== stored.llm_region ||
    draft.llm_base_url !== stored.llm_base_url;
  if (hasMoved) {
    throw invalidSchema(
      "ai.llm_api_key",
      "'ai.llm_api_key' must be sent anew when the provider, region or base URL changes",
    );
  }
  return { ...draft, llm_api_key: stored.llm_api_key };
}

function requireAllowedBaseUrl(baseUrl: string, allowed: readonly string[]): void {
  const origin = originOf(baseUrl);
  if (origin === undefined) {
    throw invalidSchema(
      "ai.llm_base_url",
      "'ai.llm_base_url' must be an http or https URL without user and password",
    );
  }
  if (!allowed.some((url) => originOf(url) === origin)) {
    throw invalidSchema(
      "ai.llm_base_url",
      `'ai.llm_base_url': the operator has not allowed requests to ${origin} (FINDLING_LLM_ALLOWED_BASE_URLS)`,
    );
  }
}

function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  return url.username === "" && url.password === "" ? url.origin : undefined;
}

type SummaryDefault = "role" | "character_limit" | "max_results" | "document_trim_length" | "temperature";
type CompleteSummaryConfig = SearchSummaryConfig & Required<Pick<SearchSummaryConfig, SummaryDefault>>;

/** With every default filled in. */
export function completeSummary(summary: SearchSummaryConfig): CompleteSummaryConfig {
  return {
    role: DEFAULT_ROLE,
    character_limit: 500,
    max_results: 5,
    document_trim_length: 1000,
    temperature: 0.2,
    ...summary,
  };
}
