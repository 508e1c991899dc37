import { describe, expect, test } from "vitest";
import type { LlmProvider } from "../../contract/ai-config.js";
import { FindlingError } from "../../errors/index.js";
import { baseUrlOf } from "./base-url.js";

const RULES = { gateways: {}, allowedOrigins: ["http://localhost:11434", "https://llm.example"] };

describe("without a base URL, a call goes to", () => {
  test.each([
    ["anthropic", undefined, "https://api.anthropic.com/v1"],
    ["google", undefined, "https://generativelanguage.googleapis.com/v1beta"],
    ["mistral", undefined, "https://api.mistral.ai/v1"],
    ["openai", undefined, "https://api.openai.com/v1"],
    ["xai", undefined, "https://api.x.ai/v1"],
    ["ollama", undefined, "http://localhost:11434/v1"],
    ["bedrock", "us-east-1", "https://bedrock-runtime.us-east-1.amazonaws.com/"],
    ["bedrock", "us-gov-west-1", "https://bedrock-runtime.us-gov-west-1.amazonaws.com/"],
    ["bedrock", "cn-north-1", "https://bedrock-runtime.cn-north-1.amazonaws.com.cn/"],
    ["bedrock", "eusc-de-east-1", "https://bedrock-runtime.eusc-de-east-1.amazonaws.eu/"],
  ] as const)("%s in %s: %s", (provider, region, url) => {
    expect(baseUrlOf({ provider, ...(region !== undefined && { region }) }, RULES).url.href).toBe(url);
  });
});

describe("the operator's gateway", () => {
  const gateways = { openai: "http://10.0.0.5:4000/v1/", bedrock: "https://gateway.example" };

  test("takes the place of the provider's own base, though its origin is on no list", () => {
    const base = baseUrlOf({ provider: "openai" }, { gateways, allowedOrigins: [] });
    expect(base).toMatchObject({ isOfIndex: false });
    expect(base.url.href).toBe("http://10.0.0.5:4000/v1");
  });

  test("is no gateway for another provider, nor for an index that names a base URL", () => {
    expect(baseUrlOf({ provider: "xai" }, { ...RULES, gateways }).url.host).toBe("api.x.ai");
    const named = { provider: "openai", baseUrl: "https://llm.example/v2" } as const;
    expect(baseUrlOf(named, { ...RULES, gateways }).url.href).toBe("https://llm.example/v2");
  });

  test("needs no region for Bedrock", () => {
    expect(baseUrlOf({ provider: "bedrock" }, { ...RULES, gateways }).url.host).toBe("gateway.example");
  });
});

describe("an index's base URL", () => {
  test.each([
    ["llamacpp", "https://llm.example", "https://llm.example/v1"],
    ["llamacpp", "https://llm.example/", "https://llm.example/v1"],
    ["ollama", "https://llm.example/proxy//", "https://llm.example/proxy/v1"],
    ["ollama", "https://llm.example/v1/", "https://llm.example/v1"],
    ["openai", "https://LLM.example:443/openai/v1/", "https://llm.example/openai/v1"],
    ["openai", "https://llm.example", "https://llm.example/"],
  ] as const)("of %s at %s is %s", (provider, baseUrl, url) => {
    const base = baseUrlOf({ provider, baseUrl }, RULES);
    expect(base.url.href).toBe(url);
    expect(base.isOfIndex).toBe(true);
  });

  test.each([
    ["openai", "https://evil.example/v1", /not allowed/],
    ["openai", "http://llm.example/v1", /not allowed/],
    ["openai", "https://llm.example:8443/v1", /not allowed/],
    ["openai", "https://llm.example.evil.example/v1", /not allowed/],
    ["openai", "https://llm.example@evil.example/v1", /without user/],
    ["openai", "https://llm.example/v1?to=", /without user, query/],
    ["openai", "https://llm.example/v1#there", /and fragment/],
    ["openai", "file:///etc/passwd", /http or https/],
    ["openai", "llm.example", /http or https/],
  ] as const)("is refused to %s at %s", (provider, baseUrl, details) => {
    expect(refusal({ provider, baseUrl })).toMatch(details);
  });

  test("is what llama.cpp needs", () => {
    expect(refusal({ provider: "llamacpp" })).toMatch(/no base URL/);
  });
});

test("Ollama's own address is refused once the operator has taken it off the list", () => {
  expect(() => baseUrlOf({ provider: "ollama" }, { gateways: {}, allowedOrigins: [] })).toThrow(
    FindlingError,
  );
});

test.each([
  undefined,
  "",
  "us-east-1.evil.example/",
  "us-east-1#",
  "../..",
  "US-EAST-1",
  "localhost",
  "x@y-1",
])("the region '%s' becomes no part of a host name", (region) => {
  expect(refusal({ provider: "bedrock", ...(region !== undefined && { region }) })).toMatch(/region/);
});

function refusal(call: { provider: LlmProvider; baseUrl?: string; region?: string }): string | undefined {
  try {
    baseUrlOf(call, RULES);
  } catch (error) {
    expect((error as FindlingError).code).toBe("model_refused");
    return (error as FindlingError).details;
  }
  throw new Error("it was accepted");
}
