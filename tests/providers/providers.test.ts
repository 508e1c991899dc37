// Every provider over a real socket, against a local server that speaks its wire format:
// text and tokens, errors, broken, endless and silent answers (issue 5). Each of them twice, as the thread of the
// models must change nothing of it.
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { AiSdkLanguageModels } from "../../src/adapters/language-models/ai-sdk-language-models.js";
import { ThreadedLanguageModels } from "../../src/adapters/language-models/threaded-language-models.js";
import type { LanguageModelPart } from "../../src/ports/language-models.js";
import { ALL_DIALECTS } from "./dialects/all-dialects.js";
import { AWS_ENVIRONMENT, BEDROCK_BEARER } from "./dialects/bedrock-converse.js";
import { ASKED, type Target } from "./dialects/dialect.js";
import { failureOf, partsOf, textOf } from "./failure.js";
import { ProviderServer, write } from "./provider-server.js";

/** Code points of one to four bytes, an escape of JSON, and what looks like the end of an event. */
const PIECES = [
  "Größe ",
  "„🦊 fuchs“\n\n",
  "data: [DONE]\n\n",
  "日本語 \\ \u2028",
  "\u{1f468}\u200d\u{1f469}",
];

let server: ProviderServer;
beforeAll(async () => {
  server = await ProviderServer.start();
});
afterAll(async () => {
  await Promise.all([...threads.values()].map((models) => models.close()));
  await server.stop();
});

beforeEach(() => {
  // What a provider's package would take if the adapter left it the choice.
  for (const name of ["ANTHROPIC", "GOOGLE_GENERATIVE_AI", "MISTRAL", "OPENAI", "XAI"]) {
    vi.stubEnv(`${name}_API_KEY`, "TRAP");
    vi.stubEnv(`${name}_BASE_URL`, "http://127.0.0.1:9/TRAP");
  }
  vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "");
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("AWS_ENDPOINT_URL", "http://127.0.0.1:9/TRAP");
  for (const [name, value] of Object.entries(AWS_ENVIRONMENT)) vi.stubEnv(name, value);
  return () => vi.unstubAllEnvs();
});

type Way = "in this thread" | "in a thread of their own";
const WAYS: readonly Way[] = ["in this thread", "in a thread of their own"];

/** One for each set of rules, as a thread takes a while to start. */
const threads = new Map<string, ThreadedLanguageModels>();

function ask(
  way: Way,
  { call, ...rules }: Target,
  signal: AbortSignal = new AbortController().signal,
): AsyncIterableIterator<LanguageModelPart> {
  if (way === "in this thread") return new AiSdkLanguageModels(rules).stream(call, signal);
  const name = JSON.stringify(rules);
  const models = threads.get(name) ?? new ThreadedLanguageModels(rules);
  threads.set(name, models);
  return models.stream(call, signal);
}

const CASES = WAYS.flatMap((way) => ALL_DIALECTS.map((dialect) => [dialect.name, way, dialect] as const));

describe.each(CASES)("%s, %s", (_name, way, dialect) => {
  const stream = (signal?: AbortSignal) => ask(way, dialect.target(server.origin), signal);

  function begin(response: ServerResponse): void {
    response.writeHead(200, { "content-type": dialect.contentType });
    response.flushHeaders();
    for (const each of dialect.beginning) response.write(each);
  }

  test("asks as the provider wants it, once, and passes on text and tokens", async () => {
    server.answerWith((response) => {
      begin(response);
      for (const piece of PIECES) response.write(dialect.text(piece));
      response.end(Buffer.concat(dialect.end));
    });
    const parts = await partsOf(stream());
    expect(textOf(parts)).toBe(PIECES.join(""));
    expect(parts.filter((part) => part.kind === "text")).toHaveLength(PIECES.length);
    expect(parts.at(-1)).toEqual({ kind: "usage", inputTokens: 11, outputTokens: 7 });
    expect(parts.filter((part) => part.kind === "usage")).toHaveLength(1);

    expect(server.requests).toHaveLength(1);
    const request = server.lastRequest;
    expect(`${request.method} ${request.path}`).toBe(`POST ${dialect.path}`);
    dialect.checkAuthorization(request);
    expect(request.headers["content-type"]).toMatch(/^application\/json/);
    expect(dialect.askedFor(JSON.parse(request.body))).toEqual({
      model: dialect.target(server.origin).call.model,
      system: ASKED.system,
      prompt: ASKED.prompt,
      temperature: ASKED.temperature,
      maxOutputTokens: ASKED.maxOutputTokens,
    });
    expect(JSON.stringify(request.headers) + request.body).not.toContain("TRAP");
  });

  test("reads an answer that comes byte by byte, cut within code points", async () => {
    server.answerWith(async (response) => {
      begin(response);
      const rest = Buffer.concat([...PIECES.map((piece) => dialect.text(piece)), ...dialect.end]);
      for (const byte of rest) {
        await write(response, Uint8Array.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    });
    const parts = await partsOf(stream());
    expect(textOf(parts)).toBe(PIECES.join(""));
    for (const part of parts)
      if (part.kind === "text") expect(part.text).not.toMatch(/\p{Surrogate}|\ufffd/u);
  });

  test("puts a pair together whose halves come in two events", async () => {
    server.answerWith((response) => {
      begin(response);
      for (const piece of ["a\ud83e", "\udd8ab", "c\ud83e"]) response.write(dialect.text(piece));
      response.end(Buffer.concat(dialect.end));
    });
    const texts = (await partsOf(stream())).flatMap((part) => (part.kind === "text" ? [part.text] : []));
    expect(texts).toEqual(["a", "🦊b", "c", "\ufffd"]);
  });

  test.each([
    [401, {}, "model_refused", undefined],
    [404, {}, "model_refused", undefined],
    [429, { "retry-after": "7" }, "model_overloaded", 7],
    [429, { "retry-after-ms": "1500" }, "model_overloaded", 2],
    [503, { "retry-after": "3600" }, "model_overloaded", 3600],
    [529, {}, "model_overloaded", undefined],
    [500, {}, "model_unavailable", undefined],
    [408, {}, "model_unavailable", undefined],
  ] as const)(
    "tells what %i with %o means, and nothing else of the answer",
    async (status, headers, code, seconds) => {
      server.answerWith((response) => {
        response.writeHead(status, "CANARY", { "content-type": "application/json", ...headers });
        response.end(dialect.errorBody(status, "CANARY: wrong key"));
      });
      const { error } = await failureOf(stream(), code);
      expect(error.details).toBe(`the provider answered ${status}`);
      expect(error.retryAfterSeconds).toBe(seconds);
      // Whether to ask again is not for the adapter to decide.
      expect(server.requests).toHaveLength(1);
    },
  );

  test("passes on what came before a connection is reset in the midst of an event", async () => {
    let reset = (): void => {};
    server.answerWith(async (response) => {
      reset = () => void response.socket?.resetAndDestroy();
      begin(response);
      await write(response, dialect.text("as far as "));
      await write(response, dialect.text("here, and CANARY").subarray(0, -9));
    });
    const answer = stream();
    expect((await answer.next()).value).toEqual({ kind: "text", text: "as far as " });
    reset();
    const { text, error } = await failureOf(answer, "model_unavailable");
    expect(text).toBe("");
    expect(error.details).toMatch(/broke off/);
  });

  test("doesn't take an answer for whole that ends in good order before its end", async () => {
    server.answerWith((response) => {
      begin(response);
      response.end(dialect.text("as far as here"));
    });
    const { text } = await failureOf(stream(), "model_unavailable");
    expect(text).toBe("as far as here");
  });

  test("takes an answer without any event for broken", async () => {
    server.answerWith(
      (response) => void response.writeHead(200, { "content-type": dialect.contentType }).end(),
    );
    await failureOf(stream(), "model_unavailable");
  });

  test("knows the provider's error in the midst of a stream, before and after text", async () => {
    for (const pieces of [[], ["some text"]]) {
      server.answerWith((response) => {
        begin(response);
        for (const piece of pieces) response.write(dialect.text(piece));
        response.end(dialect.overloadedEvent);
      });
      const { text } = await failureOf(stream(), "model_overloaded");
      expect(text).toBe(pieces.join(""));
    }
  });

  // Mistral has no word for it.
  if (dialect.withheld.length > 0) {
    test("knows an answer that the provider withholds", async () => {
      server.answerWith((response) => {
        begin(response);
        response.write(dialect.text("so far"));
        response.end(Buffer.concat(dialect.withheld));
      });
      const { text, error } = await failureOf(stream(), "model_refused");
      expect(text).toBe("so far");
      expect(error.details).toBe("the provider withholds the answer");
    });
  }

  test("reads what is no answer at all as a failure", async () => {
    for (const nonsense of [
      "<html>CANARY</html>",
      'data: {"CANARY": 1}\n\n',
      "data: {{{CANARY\n\n",
      "\0\0\0\x20CANARY".repeat(9),
    ]) {
      server.answerWith((response) => {
        response.writeHead(200, { "content-type": dialect.contentType });
        response.end(nonsense);
      });
      await failureOf(stream(), "model_unavailable");
    }
  });

  test("closes the connection of an endless answer as soon as the reader leaves", async () => {
    server.answerWith(async (response) => {
      begin(response);
      while (await write(response, dialect.text("and on ".repeat(100))));
    });
    let count = 0;
    for await (const _part of stream()) if (++count === 20) break;
    await soon(server.lastRequest.closed);
  });

  test.each(["before the head", "after the head", "after some text"])(
    "ends at an abort in silence %s",
    async (when) => {
      const aborting = new AbortController();
      let isAsked = (): void => {};
      const asked = new Promise<void>((resolve) => {
        isAsked = resolve;
      });
      server.answerWith(async (response) => {
        if (when !== "before the head") begin(response);
        if (when === "after some text") await write(response, dialect.text("so far"));
        isAsked();
      });
      const reason = new Error("the reader has left");
      const reading = partsOf(stream(aborting.signal));
      reading.catch(() => {});
      await asked;
      if (when === "after some text") await new Promise((resolve) => setTimeout(resolve, 20));
      aborting.abort(reason);
      await expect(reading).rejects.toBe(reason);
      await soon(server.lastRequest.closed);
    },
  );
});

test.each(WAYS)("a bit that flips on the way from Bedrock is noticed %s", async (way) => {
  const { beginning, text, end, contentType } = BEDROCK_BEARER;
  const whole = Buffer.concat([...beginning, text("one"), text("two"), ...end]);
  const flipped = Buffer.from(whole);
  flipped[whole.indexOf("two")]! ^= 1;
  for (const [bytes, isWhole] of [
    [whole, true],
    [flipped, false],
  ] as const) {
    server.answerWith((response) => void response.writeHead(200, { "content-type": contentType }).end(bytes));
    const answer = ask(way, BEDROCK_BEARER.target(server.origin));
    if (isWhole) expect(textOf(await partsOf(answer))).toBe("onetwo");
    else expect((await failureOf(answer, "model_unavailable")).text).not.toContain("tw");
  }
});

/** A second is the goal; on a busy machine it may take many. A connection left open stays so for much longer. */
async function soon(promise: Promise<void>): Promise<void> {
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error("the connection is still open")), 60_000).unref();
  });
  await Promise.race([promise, late]);
}
