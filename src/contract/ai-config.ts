import Type, { type TSchema } from "typebox";
import { schemaOf } from "./wire-schema.js";

const LLM_PROVIDERS = [
  "anthropic",
  "bedrock",
  "google",
  "llamacpp",
  "mistral",
  "ollama",
  "openai",
  "xai",
] as const;
export type LlmProvider = (typeof LLM_PROVIDERS)[number];

export function isLlmProvider(name: string): name is LlmProvider {
  return (LLM_PROVIDERS as readonly string[]).includes(name);
}

/** Stands for a secret in answers; written back, it keeps the stored one (contract 3.2, 4.4). */
export const MASKED_SECRET = "********";

/** The base URL that requests may go to unless the operator names others (contract 4.4). */
export const DEFAULT_ALLOWED_LLM_BASE_URLS: readonly string[] = ["http://localhost:11434"];

export interface PromptInstruction {
  readonly custom_instruction: string;
  /** Lower is applied first; equal orders keep list order. */
  readonly order: number;
}

export interface KeywordRule {
  readonly rule_name: string;
  readonly detect_keywords: readonly string[];
  readonly replacement_term?: string;
  readonly custom_instruction?: string;
  readonly empty_state_message?: string;
  readonly order: number;
}

export interface SearchSummaryConfig {
  readonly model: string;
  readonly role?: string;
  readonly character_limit?: number;
  readonly max_results?: number;
  readonly document_trim_length?: number;
  readonly temperature?: number;
  readonly empty_state_message?: string;
  readonly additional_prompt_instructions?: readonly PromptInstruction[];
  readonly keyword_rules?: readonly KeywordRule[];
}

/** The `ai` object of an index (contract 4.4). */
export interface AiConfig {
  readonly llm_provider: LlmProvider;
  readonly llm_region?: string;
  readonly llm_base_url?: string;
  readonly llm_api_key?: string;
  readonly search_summary?: SearchSummaryConfig;
}

/** A secret as it is kept: encrypted, in a text that only the catalog can read. It never crosses the wire. */
export interface SealedSecret {
  readonly sealed: string;
}

/** The `ai` object as an index keeps it. The key is in plain text only on its way to the catalog. */
export interface StoredAiConfig extends Omit<AiConfig, "llm_api_key"> {
  readonly llm_api_key?: string | SealedSecret;
}

const promptInstruction = Type.Object({
  custom_instruction: Type.String({ minLength: 1 }),
  order: Type.Integer({ description: "Lower is applied first." }),
});

const keywordRule = Type.Object({
  rule_name: Type.String({ minLength: 1, description: "Names the rule in the server's log only." }),
  detect_keywords: Type.Array(Type.String({ minLength: 1 }), {
    description: "The rule fires if one of these occurs anywhere in the search text, whatever the case.",
  }),
  replacement_term: Type.Optional(Type.String()),
  custom_instruction: Type.Optional(Type.String()),
  empty_state_message: Type.Optional(Type.String()),
  order: Type.Integer({ description: "Ascending; the first rule that matches wins." }),
});

const searchSummary = Type.Object({
  model: Type.String({ minLength: 1, description: "The provider's name of the model." }),
  role: Type.Optional(Type.String({ description: "The system persona." })),
  character_limit: Type.Optional(Type.Integer({ minimum: 1, description: "Default 500." })),
  max_results: Type.Optional(Type.Integer({ minimum: 1, description: "Default 5." })),
  document_trim_length: Type.Optional(Type.Integer({ minimum: 1, description: "Default 1000." })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "Default 0.2." })),
  empty_state_message: Type.Optional(
    Type.String({ description: "The placeholder for searchTopic stands for the search text." }),
  ),
  additional_prompt_instructions: Type.Optional(Type.Array(promptInstruction)),
  keyword_rules: Type.Optional(Type.Array(keywordRule)),
});

export const aiConfigSchema: TSchema = schemaOf<AiConfig>()(
  Type.Object(
    {
      llm_provider: Type.Enum([...LLM_PROVIDERS]),
      llm_region: Type.Optional(Type.String({ minLength: 1, description: "Required for `bedrock`." })),
      llm_base_url: Type.Optional(
        Type.String({ minLength: 1, description: "Required for `llamacpp`; its origin must be allowed." }),
      ),
      llm_api_key: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            "Required for the hosted providers. Answers show `********`, which keeps the stored key.",
        }),
      ),
      search_summary: Type.Optional(searchSummary),
    },
    {
      description: "The language model and how it summarizes search results.",
      examples: [{ llm_provider: "ollama", search_summary: { model: "llama3.2" } }],
    },
  ),
);
