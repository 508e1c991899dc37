import type { LlmProvider } from "../../contract/ai-config.js";
import type { LanguageModelCall } from "../../ports/language-models.js";
import { refused } from "./model-errors.js";

export interface BaseUrlRules {
  /** By provider, what the operator put in place of the provider's own base URL, version path included. */
  readonly gateways: Readonly<Partial<Record<LlmProvider, string | undefined>>>;
  /** Origins that the base URL of an index may have. */
  readonly allowedOrigins: readonly string[];
}

export interface BaseUrl {
  readonly url: URL;
  /** Whether the index named it; else it is the provider's own or the operator's gateway. */
  readonly isOfIndex: boolean;
}

type Addressed = Pick<LanguageModelCall, "provider" | "baseUrl" | "region">;

const OWN_BASE_URLS = {
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  mistral: "https://api.mistral.ai/v1",
  openai: "https://api.openai.com/v1",
  xai: "https://api.x.ai/v1",
} as const;

/** Allowed like a URL that an index names: an operator who takes it off the list means it. */
const OLLAMA_BASE_URL = "http://localhost:11434";

/**
 * Where the requests of a call go.
 *
 * @throws FindlingError `model_refused` if the operator hasn't allowed it, or it can't be a base URL
 */
export function baseUrlOf(call: Addressed, rules: BaseUrlRules): BaseUrl {
  const named = call.baseUrl ?? (call.provider === "ollama" ? OLLAMA_BASE_URL : undefined);
  if (named !== undefined) {
    return { url: allowed(withVersion(parsed(named), call.provider), rules.allowedOrigins), isOfIndex: true };
  }
  const gateway = rules.gateways[call.provider];
  return { url: parsed(gateway ?? ownBaseUrl(call)), isOfIndex: false };
}

function ownBaseUrl({ provider, region }: Addressed): string {
  switch (provider) {
    case "bedrock":
      return bedrockBaseUrl(region);
    case "llamacpp":
    case "ollama":
      throw refused("the index names no base URL for its local model");
    default:
      return OWN_BASE_URLS[provider];
  }
}

/** Domains of the partitions that are not `amazonaws.com`, by the beginning of their regions' names. */
const PARTITION_DOMAINS: readonly (readonly [regionPrefix: string, domain: string])[] = [
  ["cn-", "amazonaws.com.cn"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
  ["eusc-", "amazonaws.eu"],
];

function bedrockBaseUrl(region: string | undefined): string {
  // It becomes part of a host name.
  if (region === undefined || !/^[a-z]{2,8}(-[a-z0-9]{1,16}){1,4}$/.test(region)) {
    throw refused("the index names no region of AWS");
  }
  const domain = PARTITION_DOMAINS.find(([prefix]) => region.startsWith(prefix))?.[1] ?? "amazonaws.com";
  return `https://bedrock-runtime.${region}.${domain}`;
}

function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined &&
    (url.protocol === "http:" || url.protocol === "https:") &&
    `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (!isPlain) throw refused("the base URL must be http or https, without user, query and fragment");
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}

/** Ollama and llama.cpp are known by the address of the server; what OpenAI's format needs is below `/v1`. */
function withVersion(url: URL, provider: LlmProvider): URL {
  const isServer = provider === "ollama" || provider === "llamacpp";
  if (isServer && !url.pathname.endsWith("/v1")) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1`;
  return url;
}

function allowed(url: URL, origins: readonly string[]): URL {
  const isAllowed = origins.some((origin) => URL.canParse(origin) && new URL(origin).origin === url.origin);
  if (!isAllowed) throw refused("the operator has not allowed requests to the base URL's origin");
  return url;
}
