// Where the adapter sends requests, with which key, and where it never does (contract 4.4).
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { AiSdkLanguageModels } from "../../src/adapters/language-models/ai-sdk-language-models.js";
import type { HostLookup } from "../../src/adapters/language-models/guarded-fetch.js";
import type { LanguageModelCall } from "../../src/ports/language-models.js";
import { AWS_ENVIRONMENT, BEDROCK_SIGNED } from "./dialects/bedrock-converse.js";
import { ASKED, throughBaseUrl, throughGateway } from "./dialects/dialect.js";
import { failureOf, partsOf } from "./failure.js";
import { ProviderServer } from "./provider-server.js";

const NEVER = new AbortController().signal;

let server: ProviderServer;
beforeAll(async () => {
  server = await ProviderServer.start();
});
afterAll(() => server.stop());
afterEach(() => vi.unstubAllEnvs());

function stubAws(more: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries({ ...AWS_ENVIRONMENT, ...more })) vi.stubEnv(name, value);
}

const HOSTED = [
  ["anthropic", "api.anthropic.com"],
  ["bedrock", "bedrock-runtime.eu-west-1.amazonaws.com"],
  ["google", "generativelanguage.googleapis.com"],
  ["mistral", "api.mistral.ai"],
  ["openai", "api.openai.com"],
  ["xai", "api.x.ai"],
] as const;

describe.each(HOSTED)("%s", (provider, host) => {
  const call: LanguageModelCall = { provider, model: "m", region: "eu-west-1", ...ASKED };

  test(`asks ${host}, and doesn't connect if that leads to a forbidden address`, async () => {
    const names: string[] = [];
    const lookup: HostLookup = (name) => {
      names.push(name);
      return Promise.resolve([{ address: "169.254.169.254", family: 4 }]);
    };
    const models = new AiSdkLanguageModels({ gateways: {}, allowedOrigins: [], lookup });
    const { error } = await failureOf(models.stream(call, NEVER), "model_unavailable");
    expect(error.details).toMatch(/no provider can have/);
    expect(names).toEqual([host]);
  });

  test("asks nobody but whom the operator allows", async () => {
    server.answerWith((response) => void response.end());
    const models = new AiSdkLanguageModels({ gateways: {}, allowedOrigins: ["http://127.0.0.1:9"] });
    const { error } = await failureOf(
      models.stream({ ...call, baseUrl: `${server.origin}/v1` }, NEVER),
      "model_refused",
    );
    expect(error.details).toMatch(/operator has not allowed/);
    expect(server.requests).toHaveLength(0);
  });

  test("is sent to no other place by its model's name", async () => {
    stubAws();
    server.answerWith((response) => void response.writeHead(404).end());
    const { call: asked, ...rules } = throughGateway(
      provider,
      "../../elsewhere?x=#",
      `${server.origin}/v1/`,
      {
        region: "eu-west-1",
      },
    );
    await failureOf(new AiSdkLanguageModels(rules).stream(asked, NEVER), "model_refused");
    for (const { path } of server.requests) expect(path).toMatch(/^\/v1\//);
  });
});

describe.each(["anthropic", "google", "mistral", "openai", "xai"] as const)("%s", (provider) => {
  const { call, ...rules } = throughGateway(provider, "m", "http://127.0.0.1:9/v1");

  test("needs a key of the index, whatever the environment holds", async () => {
    for (const name of ["ANTHROPIC", "GOOGLE_GENERATIVE_AI", "MISTRAL", "OPENAI", "XAI"]) {
      vi.stubEnv(`${name}_API_KEY`, "CANARY");
    }
    const { apiKey: _none, ...without } = call;
    const { error } = await failureOf(new AiSdkLanguageModels(rules).stream(without, NEVER), "model_refused");
    expect(error.details).toBe("the index has no API key");
  });

  test.each(["two\nlines CANARY", "größer CANARY", "with space CANARY", ""])(
    "refuses the key '%s'",
    async (apiKey) => {
      const stream = new AiSdkLanguageModels(rules).stream({ ...call, apiKey }, NEVER);
      const { error } = await failureOf(stream, "model_refused");
      expect(error.details).toBe("the API key has characters that no key can have");
    },
  );
});

test.each(["ollama", "llamacpp"] as const)("%s needs no key, and sends none", async (provider) => {
  server.answerWith((response) => void response.writeHead(401).end());
  const { call, ...rules } = throughBaseUrl(provider, "m", server.origin);
  const { apiKey: _none, ...without } = call;
  await failureOf(new AiSdkLanguageModels(rules).stream(without, NEVER), "model_refused");
  expect(server.lastRequest.headers.authorization).toBeUndefined();
});

describe("Bedrock's credentials", () => {
  const { apiKey: _none, ...withoutKey } = ASKED;

  function authorizationOf(stream: AsyncIterable<unknown>): Promise<string | undefined> {
    server.answerWith((response) => void response.writeHead(403).end());
    return failureOf(stream as ReturnType<AiSdkLanguageModels["stream"]>, "model_refused").then(
      () => server.lastRequest.headers.authorization,
    );
  }

  test("are the operator's API key if there is one, through a gateway", async () => {
    stubAws({ AWS_BEARER_TOKEN_BEDROCK: "operators-CANARY" });
    const { call, ...rules } = BEDROCK_SIGNED.target(server.origin);
    const stream = new AiSdkLanguageModels(rules).stream(call, NEVER);
    expect(await authorizationOf(stream)).toBe("Bearer operators-CANARY");
  });

  test("are the index's own before the operator's", async () => {
    stubAws({ AWS_BEARER_TOKEN_BEDROCK: "operators-CANARY" });
    const { call, ...rules } = BEDROCK_SIGNED.target(server.origin);
    const stream = new AiSdkLanguageModels(rules).stream({ ...call, apiKey: "index-CANARY" }, NEVER);
    expect(await authorizationOf(stream)).toBe("Bearer index-CANARY");
  });

  test("show no secret of the operator to a server that only the index names", async () => {
    stubAws({ AWS_BEARER_TOKEN_BEDROCK: "operators-CANARY" });
    const { call, ...rules } = throughBaseUrl("bedrock", "m", server.origin);
    const { apiKey: _key, ...rest } = call;
    const stream = new AiSdkLanguageModels(rules).stream({ ...rest, region: "eu-west-1" }, NEVER);
    expect(await authorizationOf(stream)).toMatch(/^AWS4-HMAC-SHA256 Credential=/);
    expect(JSON.stringify(server.requests)).not.toContain("operators-CANARY");
  });

  test("are missed by name", async () => {
    for (const name of Object.keys(AWS_ENVIRONMENT)) vi.stubEnv(name, undefined);
    vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", " ");
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent");
    vi.stubEnv("AWS_CONFIG_FILE", "/nonexistent");
    const models = new AiSdkLanguageModels({ gateways: { bedrock: server.origin }, allowedOrigins: [] });
    const call = { provider: "bedrock", model: "m", region: "eu-west-1", ...withoutKey } as const;
    const { error } = await failureOf(models.stream(call, NEVER), "model_refused");
    expect(error.details).toBe("there are no AWS credentials and no API key for Bedrock in the environment");
  });
});

describe("close", () => {
  test("ends what still streams, and nothing begins after it", async () => {
    server.answerWith(() => {});
    const { call, ...rules } = throughBaseUrl("ollama", "m", server.origin);
    const models = new AiSdkLanguageModels(rules);
    const reading = failureOf(models.stream(call, NEVER), "model_unavailable");
    await expect.poll(() => server.requests.length).toBe(1);
    await models.close();
    expect((await reading).error.details).toBe("the server is stopping");
    await server.lastRequest.closed;
    await failureOf(models.stream(call, NEVER), "model_unavailable");
    expect(server.requests).toHaveLength(1);
  });
});

test("a call that is aborted before it begins asks nobody", async () => {
  server.answerWith((response) => void response.end());
  const { call, ...rules } = throughBaseUrl("ollama", "m", server.origin);
  const reason = new Error("left");
  const reading = partsOf(new AiSdkLanguageModels(rules).stream(call, AbortSignal.abort(reason)));
  await expect(reading).rejects.toBe(reason);
  expect(server.requests).toHaveLength(0);
});
