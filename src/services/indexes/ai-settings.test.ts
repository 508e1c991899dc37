import { describe, expect, test } from "vitest";
import { settledAiConfig } from "../../contract/ai-body.js";
import { type AiConfig, MASKED_SECRET, type StoredAiConfig } from "../../contract/ai-config.js";
import { parseIndexPatch } from "../../contract/index-body.js";
import { completeAiConfig, maskAiConfig } from "./ai-settings.js";

const OPENAI: AiConfig = { llm_provider: "openai", llm_api_key: "sk-secret" };
const ALLOWED = ["http://localhost:11434", "https://gateway.example/v1"];

/** The whole way of a written `ai`: shape, then rules. */
function written(ai: unknown, stored?: StoredAiConfig): StoredAiConfig {
  const { draft } = parseIndexPatch({ ai }, "books");
  return completeAiConfig(draft.ai as AiConfig, { stored, allowedBaseUrls: ALLOWED });
}

describe("providers", () => {
  test.each([
    [{ llm_provider: "bedrock", llm_region: "eu-central-1" }],
    [{ llm_provider: "llamacpp", llm_base_url: "https://gateway.example/other" }],
    [{ llm_provider: "ollama" }],
    [{ llm_provider: "ollama", llm_base_url: "http://localhost:11434/" }],
    [OPENAI],
    [{ llm_provider: "xai", llm_api_key: "k" }],
  ])("takes %j", (ai) => {
    expect(written(ai)).toEqual(ai);
  });

  test.each([
    [{ llm_provider: "bedrock" }, "ai.llm_region"],
    [{ llm_provider: "llamacpp" }, "ai.llm_base_url"],
    [{ llm_provider: "openai" }, "ai.llm_api_key"],
    [{ llm_provider: "anthropic", llm_api_key: null }, "ai.llm_api_key"],
    [{ llm_provider: "google", llm_api_key: "" }, "ai.llm_api_key"],
    [{ llm_provider: "mistral", llm_region: "x" }, "ai.llm_api_key"],
    [{ llm_provider: "abacus" }, "ai.llm_provider"],
    [{}, "ai.llm_provider"],
    [[], "ai.llm_provider"],
    ["openai", "'ai'"],
    [{ llm_provider: "ollama", llm_base_url: "http://localhost:11435" }, "ai.llm_base_url"],
    [{ llm_provider: "ollama", llm_base_url: "http://localhost:11434@evil.example" }, "ai.llm_base_url"],
    [{ llm_provider: "ollama", llm_base_url: "http://user:pass@localhost:11434" }, "ai.llm_base_url"],
    [{ llm_provider: "ollama", llm_base_url: "file:///etc/passwd" }, "ai.llm_base_url"],
    [{ llm_provider: "ollama", llm_base_url: "localhost:11434" }, "ai.llm_base_url"],
    [{ ...OPENAI, search_summary: {} }, "ai.search_summary.model"],
    [{ ...OPENAI, search_summary: [] }, "ai.search_summary.model"],
    [{ ...OPENAI, search_summary: { model: "" } }, "ai.search_summary.model"],
    [{ ...OPENAI, search_summary: { model: "m", temperature: 1.1 } }, "ai.search_summary.temperature"],
    [{ ...OPENAI, search_summary: { model: "m", character_limit: 0 } }, "ai.search_summary.character_limit"],
    [{ ...OPENAI, search_summary: { model: "m", max_results: 1.5 } }, "ai.search_summary.max_results"],
    [
      { ...OPENAI, search_summary: { model: "m", additional_prompt_instructions: [{ order: 1 }] } },
      "additional_prompt_instructions[0].custom_instruction",
    ],
    [
      {
        ...OPENAI,
        search_summary: { model: "m", keyword_rules: [{ rule_name: "r", detect_keywords: [""], order: 1 }] },
      },
      "keyword_rules[0].detect_keywords[0]",
    ],
    [
      {
        ...OPENAI,
        search_summary: { model: "m", keyword_rules: [{ rule_name: "r", detect_keywords: ["a"] }] },
      },
      "keyword_rules[0].order",
    ],
  ])("refuses %j at %s", (ai, place) => {
    expect(() => written(ai)).toThrow(place);
  });
});

test("drops members that it doesn't know, at every depth", () => {
  const rule = { rule_name: "r", detect_keywords: ["a"], order: 1 };
  const ai = {
    ...OPENAI,
    llm_api_secret: "leak",
    search_summary: { model: "m", extra: 1, keyword_rules: [{ ...rule, extra: 1 }] },
  };
  expect(settledAiConfig(ai)).toEqual({ ...OPENAI, search_summary: { model: "m", keyword_rules: [rule] } });
});

test("fills in the defaults of a summary", () => {
  expect(written({ ...OPENAI, search_summary: { model: "m", temperature: 0 } }).search_summary).toMatchObject(
    {
      model: "m",
      character_limit: 500,
      max_results: 5,
      document_trim_length: 1000,
      temperature: 0,
    },
  );
});

describe("the masked key", () => {
  test("covers the key in answers and keeps it when written back", () => {
    const masked = maskAiConfig(OPENAI);
    expect(JSON.stringify(masked)).not.toContain("sk-secret");
    expect(written(masked, OPENAI)).toEqual(OPENAI);
  });

  test.each([
    ["nothing is stored", { ...OPENAI, llm_api_key: MASKED_SECRET }, undefined],
    ["no key is stored", { ...OPENAI, llm_api_key: MASKED_SECRET }, { llm_provider: "ollama" } as const],
    ["the provider changes", { llm_provider: "xai", llm_api_key: MASKED_SECRET }, OPENAI],
    ["a base URL comes", { ...OPENAI, llm_api_key: MASKED_SECRET, llm_base_url: ALLOWED[1] }, OPENAI],
    ["the region changes", { ...OPENAI, llm_api_key: MASKED_SECRET, llm_region: "eu" }, OPENAI],
  ])("is refused where %s", (_, ai, stored) => {
    expect(() => written(ai, stored)).toThrow("ai.llm_api_key");
  });
});
