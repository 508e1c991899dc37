// Every provider behind the whole server: its text reaches the reader, and the index's key goes to
// the provider and nowhere else: into no answer, no log line and no file.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { filesBelow } from "../kit/files-below.js";
import { tracesOf } from "../kit/secret-traces.js";
import { type WireAnswer, WireServer } from "../wire/wire-server.js";
import { ALL_DIALECTS } from "./dialects/all-dialects.js";
import { AWS_ENVIRONMENT } from "./dialects/bedrock-converse.js";
import { ASKED, type Dialect } from "./dialects/dialect.js";
import { ProviderServer } from "./provider-server.js";

const FOUND = { query: { fuzzy: { ctx: "boots" } } };
const SECRETS = [ASKED.apiKey, ...Object.values(AWS_ENVIRONMENT)];

let provider: ProviderServer;
let server: WireServer;
const answers: string[] = [];

beforeAll(async () => {
  for (const [name, value] of Object.entries(AWS_ENVIRONMENT)) vi.stubEnv(name, value);
  vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "");
  provider = await ProviderServer.start();
  const { origin } = provider;
  server = await WireServer.start({
    logLevel: "trace",
    llmAllowedBaseUrls: [origin],
    anthropicBaseUrl: `${origin}/v1`,
    bedrockBaseUrl: origin,
    googleBaseUrl: `${origin}/v1beta`,
    mistralBaseUrl: `${origin}/v1`,
    openaiBaseUrl: `${origin}/v1`,
    xaiBaseUrl: `${origin}/v1`,
  });
});
afterAll(async () => {
  await server.stopAndRemove();
  await provider.stop();
  vi.unstubAllEnvs();
});

async function createIndex(name: string, dialect: Dialect): Promise<void> {
  const { call } = dialect.target(provider.origin);
  await server.createIndex(name, {
    ai_enabled: true,
    ai: {
      llm_provider: call.provider,
      ...(call.region !== undefined && { llm_region: call.region }),
      ...(call.baseUrl !== undefined && { llm_base_url: call.baseUrl }),
      ...(call.apiKey !== undefined && { llm_api_key: call.apiKey }),
      search_summary: { model: call.model, temperature: 0.5 },
    },
  });
  await server.addCommitted(name, [{ id: "1", title: "winter boots, größer" }]);
}

async function summaryOf(index: string): Promise<WireAnswer> {
  const answer = await server.post(`/index/${index}/search/summary`, FOUND);
  answers.push(answer.text, (await server.get(`/index/${index}`)).text);
  return answer;
}

function deltasOf({ text }: WireAnswer): string {
  return [...text.matchAll(/^event: delta\ndata: (.*)$/gm)]
    .map(([, data]) => (JSON.parse(data!) as { content: string }).content)
    .join("");
}

describe.each(ALL_DIALECTS.map((dialect, at) => [dialect.name, dialect, `index-${at}`] as const))(
  "%s",
  (_name, dialect, index) => {
    test("sums up what the search found", async () => {
      await createIndex(index, dialect);
      provider.answerWith((response) => {
        response.writeHead(200, { "content-type": dialect.contentType });
        for (const each of dialect.beginning) response.write(each);
        for (const piece of ["Boots: ", "größer ", "🥾"]) response.write(dialect.text(piece));
        response.end(Buffer.concat(dialect.end));
      });
      const answer = await summaryOf(index);
      expect(deltasOf(answer)).toBe("Boots: größer 🥾");
      expect(answer.text).toMatch(/event: done\ndata: \{"results_count":1\}\n\n$/);
      expect(provider.requests).toHaveLength(1);
      dialect.checkAuthorization(provider.lastRequest);
      const asked = dialect.askedFor(JSON.parse(provider.lastRequest.body));
      expect(asked.temperature).toBe(0.5);
      expect(asked.prompt).toContain("winter boots, größer");
    });

    test("fails honestly, though the provider answers with the key", async () => {
      provider.answerWith((response) => {
        response.writeHead(401, ASKED.apiKey, { "content-type": "application/json", "x-key": ASKED.apiKey });
        response.end(dialect.errorBody(401, `Incorrect API key provided: ${ASKED.apiKey}`));
      });
      // Another state of the index, so that nothing is cached.
      await server.addCommitted(index, [{ id: "2", title: "summer boots" }]);
      const answer = await summaryOf(index);
      expect(answer.text).toMatch(/event: error\ndata: \{"message":"[^"]+"\}\n\n$/);
      expect(provider.requests).toHaveLength(1);
    });

    test("fails honestly in the midst of the text", async () => {
      provider.answerWith((response) => {
        response.writeHead(200, { "content-type": dialect.contentType });
        for (const each of dialect.beginning) response.write(each);
        response.write(dialect.text("so far "));
        response.end(dialect.overloadedEvent);
      });
      const answer = await summaryOf(index);
      expect(answer.text).toMatch(/event: error\n/);
      expect(answer.text).not.toContain("CANARY");
    });
  },
);

test("no secret is in an answer, a log line or a file", () => {
  const files = filesBelow(server.folder);
  expect(files.size).toBeGreaterThan(ALL_DIALECTS.length);
  expect(answers.join("")).toContain('"llm_api_key":"********"');
  for (const secret of SECRETS) {
    expect(tracesOf(secret, answers.join("\n"))).toEqual([]);
    expect(tracesOf(secret, server.logLines.join(""))).toEqual([]);
    for (const [file, bytes] of files) expect([file, tracesOf(secret, bytes)]).toEqual([file, []]);
  }
  expect(server.logLines.join("")).not.toContain("CANARY");
});
