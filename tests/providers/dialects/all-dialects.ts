import { ANTHROPIC_MESSAGES } from "./anthropic-messages.js";
import { BEDROCK_BEARER, BEDROCK_SIGNED } from "./bedrock-converse.js";
import { CHAT_COMPLETIONS } from "./chat-completions.js";
import type { Dialect } from "./dialect.js";
import { GEMINI_STREAM } from "./gemini-stream.js";
import { OPENAI_RESPONSES } from "./openai-responses.js";

export const ALL_DIALECTS: readonly Dialect[] = [
  OPENAI_RESPONSES,
  ...CHAT_COMPLETIONS,
  ANTHROPIC_MESSAGES,
  GEMINI_STREAM,
  BEDROCK_SIGNED,
  BEDROCK_BEARER,
];
