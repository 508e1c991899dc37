import { asWireObject, memberOf } from "./wire-object.js";

const AI_MEMBERS = ["llm_provider", "llm_region", "llm_base_url", "llm_api_key"] as const;
const SUMMARY_MEMBERS = [
  "model",
  "role",
  "character_limit",
  "max_results",
  "document_trim_length",
  "temperature",
  "empty_state_message",
] as const;
const INSTRUCTION_MEMBERS = ["custom_instruction", "order"] as const;
const RULE_MEMBERS = [
  "rule_name",
  "detect_keywords",
  "replacement_term",
  "custom_instruction",
  "empty_state_message",
  "order",
] as const;

/**
 * An `ai` value without null and unknown members, and with objects for `[]`; its shape is not
 * checked. Unknown members are dropped and not kept: a secret could be among them, misspelt.
 */
export function settledAiConfig(value: unknown): unknown {
  return pick(value, AI_MEMBERS, { search_summary: settledSummary });
}

function settledSummary(value: unknown): unknown {
  return pick(value, SUMMARY_MEMBERS, {
    additional_prompt_instructions: (list) => settledList(list, INSTRUCTION_MEMBERS),
    keyword_rules: (list) => settledList(list, RULE_MEMBERS),
  });
}

function settledList(value: unknown, members: readonly string[]): unknown {
  return Array.isArray(value) ? value.map((element) => pick(element, members, {})) : value;
}

function pick(
  value: unknown,
  plain: readonly string[],
  nested: Readonly<Record<string, (value: unknown) => unknown>>,
): unknown {
  const object = asWireObject(value);
  if (object === undefined) return value;
  const settled: Record<string, unknown> = {};
  for (const member of [...plain, ...Object.keys(nested)]) {
    const found = memberOf(object, member);
    if (found !== undefined) settled[member] = nested[member]?.(found) ?? found;
  }
  return settled;
}
