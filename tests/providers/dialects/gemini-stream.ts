import { type Dialect, event, expectHeader, throughGateway } from "./dialect.js";

const MODEL = "gemini-2.0-flash";

/** Google ends its lines with CR LF. */
function chunk(part: object, more: object = {}, usage: object = {}): Uint8Array {
  return event(
    undefined,
    {
      candidates: [{ content: { parts: [part], role: "model" }, index: 0, ...more }],
      usageMetadata: { promptTokenCount: 11, totalTokenCount: 11, ...usage },
      modelVersion: MODEL,
      responseId: "mAitaLmkHPPlz7IPvtfUqQ4",
    },
    "\r\n",
  );
}

interface Body {
  readonly systemInstruction: { readonly parts: readonly [{ text: unknown }] };
  readonly contents: readonly [{ role: string; parts: readonly [{ text: unknown }] }];
  readonly generationConfig: { readonly temperature: unknown; readonly maxOutputTokens: unknown };
}

export const GEMINI_STREAM: Dialect = {
  name: "google",
  documentation: "https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent",
  target: (origin) => throughGateway("google", MODEL, `${origin}/v1beta`),
  path: `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`,
  checkAuthorization: (request) => expectHeader(request, "x-goog-api-key", "sk-CANARY-0123456789"),
  askedFor(json) {
    const body = json as Body;
    if (body.contents.length !== 1 || body.contents[0].role !== "user") throw new Error("other contents");
    return {
      // The path names it.
      model: MODEL,
      system: body.systemInstruction.parts[0].text,
      prompt: body.contents[0].parts[0].text,
      temperature: body.generationConfig.temperature,
      maxOutputTokens: body.generationConfig.maxOutputTokens,
    };
  },
  contentType: "text/event-stream",
  beginning: [chunk({ text: "THOUGHT", thought: true })],
  text: (piece) => chunk({ text: piece }),
  end: [chunk({ text: "" }, { finishReason: "STOP" }, { candidatesTokenCount: 7, totalTokenCount: 18 })],
  withheld: [chunk({ text: "" }, { finishReason: "SAFETY" })],
  overloadedEvent: event(
    undefined,
    { error: { code: 429, message: "CANARY", status: "RESOURCE_EXHAUSTED" } },
    "\r\n",
  ),
  errorBody: (status, message) =>
    JSON.stringify({ error: { code: status, message, status: "UNAUTHENTICATED" } }),
};
