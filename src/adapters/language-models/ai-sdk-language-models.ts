import type { LanguageModelCall, LanguageModelPart, LanguageModels } from "../../ports/language-models.js";
import { type BaseUrlRules, baseUrlOf } from "./base-url.js";
import { BedrockAccess } from "./bedrock-access.js";
import { guardedFetch, type HostLookup, lookupBySystem, unlessAborted } from "./guarded-fetch.js";
import { refused, streamError, unavailable } from "./model-errors.js";
import { type ProviderModel, providerModel } from "./provider-models.js";
import { WholeCodePoints } from "./whole-code-points.js";

export interface AiSdkLanguageModelsOptions extends BaseUrlRules {
  /** How names are resolved; as the system does by default. */
  readonly lookup?: HostLookup;
}

type ModelStream = Awaited<ReturnType<ProviderModel["doStream"]>>["stream"];
type ModelPart = ModelStream extends ReadableStream<infer Part> ? Part : never;
type Finish = Extract<ModelPart, { type: "finish" }>;

/**
 * The providers through the AI SDK (docs/adr/0013). It uses the SDK's providers, each of which knows
 * one wire format, and not its `streamText`: that asks again by itself, writes to the console, and
 * keeps what it has streamed.
 */
export class AiSdkLanguageModels implements LanguageModels {
  readonly #options: AiSdkLanguageModelsOptions;
  readonly #bedrock: BedrockAccess = new BedrockAccess();
  readonly #running = new Set<AbortController>();
  #isClosed = false;

  constructor(options: AiSdkLanguageModelsOptions) {
    this.#options = options;
  }

  async *stream(call: LanguageModelCall, signal: AbortSignal): AsyncGenerator<LanguageModelPart, void, void> {
    signal.throwIfAborted();
    if (this.#isClosed) throw unavailable("the server is stopping");
    const stop = new AbortController();
    const stopToo = (): void => stop.abort(signal.reason);
    signal.addEventListener("abort", stopToo, { once: true });
    this.#running.add(stop);
    try {
      const parts = await unlessAborted(this.#begin(call, stop.signal), stop.signal);
      yield* textAndUsage(parts.getReader());
    } catch (thrown) {
      throw stop.signal.aborted ? stop.signal.reason : streamError(thrown);
    } finally {
      signal.removeEventListener("abort", stopToo);
      this.#running.delete(stop);
      // However it ended: the reader may have left in the midst of it.
      stop.abort(unavailable("nobody reads the answer any longer"));
    }
  }

  /** No connection outlives its call, so that there are only calls to end. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const running of this.#running) running.abort(unavailable("the server is stopping"));
    return Promise.resolve();
  }

  async #begin(call: LanguageModelCall, signal: AbortSignal): Promise<ModelStream> {
    const base = baseUrlOf(call, this.#options);
    const fetch = guardedFetch({ base: base.url, lookup: this.#options.lookup ?? lookupBySystem, signal });
    const model = await providerModel({ call, base, fetch, bedrock: this.#bedrock, signal });
    const { stream } = await model.doStream({
      prompt: [
        { role: "system", content: call.system },
        { role: "user", content: [{ type: "text", text: call.prompt }] },
      ],
      temperature: call.temperature,
      maxOutputTokens: call.maxOutputTokens,
      ...(call.traceHeaders !== undefined && { headers: { ...call.traceHeaders } }),
      abortSignal: signal,
      // Bedrock's errors within a stream are known by the name of their event alone.
      includeRawChunks: call.provider === "bedrock",
      // What is asked holds the index's documents; it is not left with OpenAI, which else keeps it.
      // Servers that are only compatible may refuse members that they don't know.
      ...(!base.isOfIndex && { providerOptions: { openai: { store: false } } }),
    });
    return stream;
  }
}

/** Nothing is cancelled here: whatever ends this closes the connection, and so all streams above it. */
async function* textAndUsage(
  parts: ReadableStreamDefaultReader<ModelPart>,
): AsyncGenerator<LanguageModelPart, void, void> {
  const codePoints = new WholeCodePoints();
  let finish: Finish | undefined;
  let raw: unknown;
  for (let next = await parts.read(); !next.done; next = await parts.read()) {
    const part = next.value;
    if (part.type === "raw") raw = part.rawValue;
    if (part.type === "error") throw streamError(part.error, Object.keys(Object(raw)));
    if (part.type === "finish") finish = part;
    if (part.type !== "text-delta") continue;
    const text = codePoints.push(part.delta);
    if (text !== "") yield { kind: "text", text };
  }
  const rest = codePoints.end();
  if (rest !== "") yield { kind: "text", text: rest };
  requireWhole(finish);
  const { inputTokens, outputTokens } = finish.usage;
  if (inputTokens.total !== undefined || outputTokens.total !== undefined) {
    yield { kind: "usage", inputTokens: inputTokens.total, outputTokens: outputTokens.total };
  }
}

/** A connection can end in good order though the answer is not whole; then no reason to finish came. */
function requireWhole(finish: Finish | undefined): asserts finish is Finish {
  const reason = finish?.finishReason;
  if (reason?.unified === "content-filter") throw refused("the provider withholds the answer");
  if (
    reason === undefined ||
    reason.unified === "error" ||
    (reason.unified === "other" && reason.raw === undefined)
  ) {
    throw unavailable("the provider's answer ended before it was whole");
  }
}
