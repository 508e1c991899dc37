import type { KeywordRule } from "../../contract/ai-config.js";
import { isLlmProvider, type PromptInstruction, type StoredAiConfig } from "../../contract/ai-config.js";
import type { IndexSchema } from "../../contract/index-schema.js";
import { FindlingError } from "../../errors/index.js";
import { completeSummary } from "../indexes/ai-settings.js";

/** How an index's searches are summarized, every default filled in. */
export interface SummarySettings {
  readonly ai: StoredAiConfig;
  readonly model: string;
  readonly role: string;
  /** Code points of the summary. */
  readonly characterLimit: number;
  /** Documents in the prompt. */
  readonly resultsMax: number;
  /** Code points of a document. */
  readonly documentTrimLength: number;
  readonly temperature: number;
  readonly emptyStateMessage: string | undefined;
  readonly instructions: readonly PromptInstruction[];
  readonly rules: readonly KeywordRule[];
}

/** What an index may ask for at most, whoever set it up: what one summary holds in memory is bounded. */
const CHARACTER_LIMIT_MAX = 100_000;

/** @throws FindlingError `ai_disabled`, `ai_not_configured`, `summary_not_configured`, `invalid_llm_provider`, in this order */
export function requireSummarySettings({ name, ai_enabled: isEnabled, ai }: IndexSchema): SummarySettings {
  if (!isEnabled) {
    throw new FindlingError(
      "ai_disabled",
      `AI features are off for index '${name}'; 'ai_enabled' switches them on`,
    );
  }
  if (ai === undefined) {
    throw new FindlingError("ai_not_configured", `index '${name}' has no language model; set 'ai'`);
  }
  if (ai.search_summary === undefined) {
    throw new FindlingError(
      "summary_not_configured",
      `summaries are not configured for index '${name}'; set 'ai.search_summary'`,
    );
  }
  if (!isLlmProvider(ai.llm_provider)) {
    throw new FindlingError(
      "invalid_llm_provider",
      `index '${name}' has a language model provider that this server doesn't know; set 'ai.llm_provider'`,
    );
  }
  const summary = completeSummary(ai.search_summary);
  return {
    ai,
    model: summary.model,
    role: summary.role,
    characterLimit: Math.min(summary.character_limit, CHARACTER_LIMIT_MAX),
    resultsMax: summary.max_results,
    documentTrimLength: summary.document_trim_length,
    temperature: summary.temperature,
    emptyStateMessage: summary.empty_state_message,
    instructions: summary.additional_prompt_instructions ?? [],
    rules: summary.keyword_rules ?? [],
  };
}
