import { inspect } from "node:util";
import { expect } from "vitest";
import { type ErrorCode, FindlingError } from "../../src/errors/index.js";
import type { LanguageModelPart } from "../../src/ports/language-models.js";

/** All parts of a stream that ends well. */
export async function partsOf(stream: AsyncIterable<LanguageModelPart>): Promise<LanguageModelPart[]> {
  const parts: LanguageModelPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

export function textOf(parts: readonly LanguageModelPart[]): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

/** The text until the failure, and the failure, which is of this code and tells nothing that it mustn't. */
export async function failureOf(
  stream: AsyncIterable<LanguageModelPart>,
  code: ErrorCode,
): Promise<{ readonly text: string; readonly error: FindlingError }> {
  let text = "";
  try {
    for await (const part of stream) if (part.kind === "text") text += part.text;
  } catch (error) {
    expect(error).toBeInstanceOf(FindlingError);
    const failure = error as FindlingError;
    expect(failure.code, failure.details).toBe(code);
    // With the stack, all members and all causes.
    expect(inspect(failure, { depth: 10, showHidden: true })).not.toMatch(/CANARY|Summarize|Trust nobody/);
    return { text, error: failure };
  }
  throw new Error(`the stream ended well, with '${text}'`);
}
