import { crc32 } from "node:zlib";
import { ASKED, type Dialect, expectHeader, throughGateway } from "./dialect.js";
import { requireSignature } from "./signature-v4.js";

const MODEL = "anthropic.claude-3-haiku-20240307-v1:0";
const REGION = "eu-central-1";

/** What the tests put into the environment. */
export const AWS_ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "CANARYJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  AWS_SESSION_TOKEN: "CANARYsession/token+of==",
} as const;

/**
 * A message of the type `application/vnd.amazon.eventstream`, big-endian:
 *
 *     total length u32 | headers length u32 | CRC of these 8 bytes u32
 *     headers: name length u8, name, 7 (a string), value length u16, value
 *     payload
 *     CRC of all before u32
 */
export function eventStreamMessage(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const size = Buffer.alloc(2);
      size.writeUInt16BE(Buffer.byteLength(value));
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7]),
        size,
        Buffer.from(value),
      ]);
    }),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const message = Buffer.alloc(12 + head.length + body.length + 4);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(head.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  head.copy(message, 12);
  body.copy(message, 12 + head.length);
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
  return message;
}

const typed = (type: string, payload: object): Buffer =>
  eventStreamMessage(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    // Padding of random length, against guessing by size.
    { ...payload, p: "abcdefghijklmn" },
  );

interface Body {
  readonly system: readonly [{ text: unknown }];
  readonly messages: readonly [{ role: string; content: readonly [{ text: unknown }] }];
  readonly inferenceConfig: { readonly temperature: unknown; readonly maxTokens: unknown };
}

const CONVERSE: Omit<Dialect, "name" | "target" | "checkAuthorization"> = {
  documentation: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html",
  path: `/model/${encodeURIComponent(MODEL)}/converse-stream`,
  askedFor(json) {
    const body = json as Body;
    if (body.messages.length !== 1 || body.messages[0].role !== "user") throw new Error("other messages");
    return {
      // The path names it.
      model: MODEL,
      system: body.system[0].text,
      prompt: body.messages[0].content[0].text,
      temperature: body.inferenceConfig.temperature,
      maxOutputTokens: body.inferenceConfig.maxTokens,
    };
  },
  contentType: "application/vnd.amazon.eventstream",
  beginning: [
    typed("messageStart", { role: "assistant" }),
    typed("contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "THOUGHT" } } }),
    typed("contentBlockStop", { contentBlockIndex: 0 }),
  ],
  text: (text) => typed("contentBlockDelta", { contentBlockIndex: 1, delta: { text } }),
  end: [
    typed("contentBlockStop", { contentBlockIndex: 1 }),
    typed("messageStop", { stopReason: "end_turn" }),
    typed("metadata", {
      usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 },
      metrics: { latencyMs: 314 },
    }),
  ],
  withheld: [typed("messageStop", { stopReason: "guardrail_intervened" })],
  overloadedEvent: eventStreamMessage(
    {
      ":exception-type": "throttlingException",
      ":content-type": "application/json",
      ":message-type": "exception",
    },
    { message: "CANARY" },
  ),
  errorBody: (_status, message) => JSON.stringify({ message }),
};

export const BEDROCK_SIGNED: Dialect = {
  ...CONVERSE,
  name: "bedrock, signed",
  target(origin) {
    const { apiKey: _none, ...call } = throughGateway("bedrock", MODEL, origin, { region: REGION }).call;
    return { gateways: { bedrock: origin }, allowedOrigins: [], call };
  },
  checkAuthorization(request) {
    expectHeader(request, "x-amz-security-token", AWS_ENVIRONMENT.AWS_SESSION_TOKEN);
    requireSignature(request, {
      accessKeyId: AWS_ENVIRONMENT.AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_ENVIRONMENT.AWS_SECRET_ACCESS_KEY,
      region: REGION,
      service: "bedrock",
    });
  },
};

export const BEDROCK_BEARER: Dialect = {
  ...CONVERSE,
  name: "bedrock, with the index's API key",
  target: (origin) => throughGateway("bedrock", MODEL, origin, { region: REGION }),
  checkAuthorization: (request) => expectHeader(request, "authorization", `Bearer ${ASKED.apiKey}`),
};
