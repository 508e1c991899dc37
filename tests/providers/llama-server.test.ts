// A real llama.cpp server, reached in three dialects: its own by `llamacpp`, `openai` with a base URL,
// and `anthropic` through a gateway (issue 5).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AiSdkLanguageModels } from "../../src/adapters/language-models/ai-sdk-language-models.js";
import type { LanguageModelCall, LanguageModelPart } from "../../src/ports/language-models.js";
import { type Target, throughBaseUrl, throughGateway } from "./dialects/dialect.js";
import { failureOf, partsOf, textOf } from "./failure.js";
import { pythonWithLlama, TinyLlamaServer } from "./llama/tiny-llama-server.js";

const TARGETS: readonly (readonly [name: string, target: (origin: string) => Target])[] = [
  ["llamacpp", (origin) => throughBaseUrl("llamacpp", "tiny", origin)],
  ["openai with a base URL", (origin) => throughBaseUrl("openai", "tiny", `${origin}/v1`)],
  ["anthropic through a gateway", (origin) => throughGateway("anthropic", "tiny", `${origin}/v1`)],
];

function pythonOrReason(): { readonly python: string } | { readonly reason: string } {
  try {
    return { python: pythonWithLlama() };
  } catch (error) {
    if (process.env["FINDLING_TEST_ALL"] === "1") throw error;
    return { reason: (error as Error).message };
  }
}

const found = pythonOrReason();
const title =
  "python" in found ? "a real llama.cpp server" : `skipped, as there is no llama.cpp: ${found.reason}`;

describe.skipIf(!("python" in found))(title, () => {
  let server: TinyLlamaServer;
  beforeAll(async () => {
    if ("python" in found) server = await TinyLlamaServer.start(found.python);
  });
  afterAll(() => server?.stop());

  describe.each(TARGETS)("%s", (_name, target) => {
    function stream(
      changes: Partial<LanguageModelCall>,
      signal: AbortSignal = new AbortController().signal,
    ): AsyncIterable<LanguageModelPart> {
      const { call, ...rules } = target(server.origin);
      return new AiSdkLanguageModels(rules).stream({ ...call, temperature: 0, ...changes }, signal);
    }

    test("streams text up to the limit of tokens, and tells the tokens", async () => {
      const parts = await partsOf(stream({ maxOutputTokens: 40 }));
      expect(textOf(parts)).not.toBe("");
      expect(parts.length).toBeGreaterThan(10);
      const usage = parts.at(-1);
      expect(usage).toMatchObject({ kind: "usage", outputTokens: 40 });
      expect(usage?.kind === "usage" && usage.inputTokens).toBeGreaterThan(10);
    });

    test("says the same again, and something else when asked something else", async () => {
      const [once, again, other] = await Promise.all([
        partsOf(stream({ maxOutputTokens: 20 })),
        partsOf(stream({ maxOutputTokens: 20 })),
        partsOf(stream({ maxOutputTokens: 20, prompt: "fox and the search" })),
      ]);
      expect(textOf(again)).toBe(textOf(once));
      expect(textOf(other)).not.toBe(textOf(once));
    });

    test("is refused a prompt that is too long for the model", async () => {
      const { error } = await failureOf(stream({ prompt: "🦊 ".repeat(40_000) }), "model_refused");
      expect(error.details).toBe("the provider answered 400");
    });

    test("frees the model when the reader leaves, and when it aborts", async () => {
      for (const leave of ["by return", "by abort"]) {
        const aborting = new AbortController();
        let count = 0;
        try {
          for await (const _part of stream({ maxOutputTokens: 30_000 }, aborting.signal)) {
            if (++count < 5) continue;
            if (leave === "by return") break;
            aborting.abort();
          }
        } catch (error) {
          expect(error).toBe(aborting.signal.reason);
        }
        // Telling all that was asked for would take far longer.
        await expect.poll(() => server.isBusy(), { timeout: 10_000 }).toBe(false);
      }
    });
  });
});
