// 200 answers at once (issue 5): what was read is not kept, and every connection is closed at the end.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { AiSdkLanguageModels } from "../../src/adapters/language-models/ai-sdk-language-models.js";
import { ANTHROPIC_MESSAGES } from "./dialects/anthropic-messages.js";
import { AWS_ENVIRONMENT, BEDROCK_SIGNED } from "./dialects/bedrock-converse.js";
import { GEMINI_STREAM } from "./dialects/gemini-stream.js";
import { OPENAI_RESPONSES } from "./dialects/openai-responses.js";
import { ProviderServer, write } from "./provider-server.js";

/** Each way of the SDK to read: forked streams, plain ones, binary ones. */
const DIALECTS = [OPENAI_RESPONSES, ANTHROPIC_MESSAGES, GEMINI_STREAM, BEDROCK_SIGNED];
const STREAMS = 200;
/** Text pieces that each stream has read at the first look at the memory, and at the second. */
const FIRST_LOOK = 20;
const SECOND_LOOK = 100;
/** Between the looks, more than 16 MB go through. */
const PIECE = "words of a long answer ".repeat(45);
const GROWTH_BYTES_MAX = 4 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

let server: ProviderServer;
beforeAll(async () => {
  server = await ProviderServer.start();
  for (const [name, value] of Object.entries(AWS_ENVIRONMENT)) vi.stubEnv(name, value);
  vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.stop();
});

test.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))("%s", async (_name, dialect) => {
  const text = dialect.text(PIECE);
  let goOn = (): void => {};
  server.answerWith(async (response) => {
    response.writeHead(200, { "content-type": dialect.contentType });
    for (const each of dialect.beginning) response.write(each);
    // No more than is read until the look: the rest would wait in the buffers of this same process.
    for (let sent = 0; sent < FIRST_LOOK; sent++) await write(response, text);
    await firstLook;
    // Without an end: the readers leave.
    for (let sent = FIRST_LOOK; sent < SECOND_LOOK; sent++) await write(response, text);
  });
  const firstLook = new Promise<void>((resolve) => {
    goOn = resolve;
  });

  const { call, ...rules } = dialect.target(server.origin);
  const models = new AiSdkLanguageModels(rules);
  const looks = new Looks();
  await Promise.all(
    Array.from({ length: STREAMS }, async () => {
      let pieces = 0;
      for await (const part of models.stream(call, new AbortController().signal)) {
        if (part.kind !== "text") continue;
        if (part.text !== PIECE) throw new Error("the text is another");
        pieces++;
        if (pieces === FIRST_LOOK || pieces === SECOND_LOOK) await looks.take(pieces);
        if (pieces === FIRST_LOOK) goOn();
        if (pieces === SECOND_LOOK) break;
      }
    }),
  );
  await Promise.all(server.requests.map((request) => request.closed));
  expect(server.requests).toHaveLength(STREAMS);
  expect(looks.bytes(SECOND_LOOK) - looks.bytes(FIRST_LOOK)).toBeLessThan(GROWTH_BYTES_MAX);
});

/** Waits until all streams have come as far, and looks at the memory while they stand still. */
class Looks {
  readonly #bytes = new Map<number, number>();
  readonly #waiting: (() => void)[] = [];

  async take(at: number): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#waiting.push(resolve) < STREAMS) return;
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      this.#bytes.set(at, heapUsed + external);
      for (const go of this.#waiting.splice(0)) go();
    });
  }

  bytes(at: number): number {
    return this.#bytes.get(at)!;
  }
}
