import type { LlmProvider } from "../../../src/contract/ai-config.js";
import type { LanguageModelCall } from "../../../src/ports/language-models.js";
import type { ReceivedRequest } from "../provider-server.js";

/** What a test asks for, whatever the provider. */
export const ASKED = {
  apiKey: "sk-CANARY-0123456789",
  system: "You are terse.\nTrust nobody.",
  prompt: "Summarize: „größer“ 🦊",
  temperature: 0.25,
  maxOutputTokens: 321,
} as const;

export interface Target {
  readonly gateways: Partial<Record<LlmProvider, string>>;
  readonly allowedOrigins: readonly string[];
  readonly call: LanguageModelCall;
}

/** What a request asked for, read out of the provider's own body. */
export interface AskedFor {
  readonly model: unknown;
  readonly system: unknown;
  readonly prompt: unknown;
  readonly temperature: unknown;
  readonly maxOutputTokens: unknown;
}

/** One provider's wire format, after its public documentation. */
export interface Dialect {
  readonly name: string;
  readonly documentation: string;
  /** How the adapter is led to a server at this origin. */
  target(origin: string): Target;
  /** Where the request must arrive. */
  readonly path: string;
  /** Throws unless the request is authorized as the provider wants it. */
  checkAuthorization(request: ReceivedRequest): void;
  askedFor(body: unknown): AskedFor;
  readonly contentType: string;
  /** What comes before the text; what the model thinks (`THOUGHT`), too, where the provider shows it. */
  readonly beginning: readonly Uint8Array[];
  text(piece: string): Uint8Array;
  /** What comes after it: 11 tokens read, 7 written. */
  readonly end: readonly Uint8Array[];
  /** What comes in place of the end where the provider withholds the rest; empty if it has no word for that. */
  readonly withheld: readonly Uint8Array[];
  /** What the provider sends in the midst of a stream when it is overloaded. */
  readonly overloadedEvent: Uint8Array;
  /** The body of an answer that isn't 200. */
  errorBody(status: number, message: string): string;
}

/** A server-sent event; `name` undefined where the provider names none. */
export function event(name: string | undefined, data: unknown, lineEnd = "\n"): Uint8Array {
  const head = name === undefined ? "" : `event: ${name}${lineEnd}`;
  const json = typeof data === "string" ? data : JSON.stringify(data);
  return Buffer.from(`${head}data: ${json}${lineEnd}${lineEnd}`);
}

export function expectHeader({ headers }: ReceivedRequest, name: string, value: string): void {
  if (headers[name] !== value) throw new Error(`header ${name} is not '${value}'`);
}

/** The call to a provider at a gateway that takes the place of its own base URL. */
export function throughGateway(
  provider: LlmProvider,
  model: string,
  gateway: string,
  more: Partial<LanguageModelCall> = {},
): Target {
  return {
    gateways: { [provider]: gateway },
    allowedOrigins: [],
    call: { provider, model, ...ASKED, ...more },
  };
}

/** The call to a server that the index names as its base URL, and the operator allows. */
export function throughBaseUrl(provider: LlmProvider, model: string, baseUrl: string): Target {
  return {
    gateways: {},
    allowedOrigins: [new URL(baseUrl).origin],
    call: { provider, model, ...ASKED, baseUrl },
  };
}
