import type { SummaryModelCall } from "../../contract/summary.js";
import { FindlingError } from "../../errors/index.js";
import type { LanguageModelCall } from "../../ports/language-models.js";
import type { Tracing } from "../../ports/tracing.js";
import { type ModelCallCost, type ModelCallPorts, modelWords } from "./model-call.js";
import { KnownAddresses } from "./output/known-addresses.js";
import { SummaryOutput } from "./output/summary-output.js";
import type { SearchTopic } from "./search-topic.js";
import type { CallOutcome, SummaryJournal, SummarySubject } from "./summary-journal.js";
import { type SummaryPrompt, summaryPrompt } from "./summary-prompt.js";
import type { SummarySettings } from "./summary-settings.js";
import { TracedCall } from "./traced-call.js";

/** Everything that one call of a model is made of. */
export interface SummaryTask {
  readonly subject: SummarySubject;
  readonly settings: SummarySettings;
  readonly topic: Pick<SearchTopic, "topic" | "rule">;
  /** As the prompt shows them; called once. */
  readonly documents: () => readonly string[];
  /** In plain text, for this call only. */
  readonly apiKey: string | undefined;
  /** Told once, when the call is over however it ended, of what was asked and what it cost. */
  readonly onCalled?: (call: SummaryModelCall) => void;
}

/** What a summary is written by. */
export interface SummaryWriterPorts extends ModelCallPorts {
  readonly journal: SummaryJournal;
  readonly tracing: Tracing;
}

/** Tokens that an answer may have: more than its characters need, and room for models that think first. */
const OUTPUT_TOKENS_MIN = 2_048;
const OUTPUT_TOKENS_MAX = 16_384;
const TOKENS_PER_CHARACTER = 2;

/**
 * The summary as readers may see it, piece by piece, from one call of a model. The model is stopped as soon as
 * the summary is as long as it may be. What it cost goes to the journal in the end.
 *
 * @throws FindlingError `model_refused`, `model_overloaded`, `model_unavailable`
 */
export async function* writeSummary(
  ports: SummaryWriterPorts,
  task: SummaryTask,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const startMs = ports.clock.now();
  const cost: ModelCallCost = { attempts: 0, inputTokens: undefined, outputTokens: undefined };
  const documents = task.documents();
  const prompt = summaryPrompt(task.settings, task.topic, documents);
  const call = callOf(task.settings, prompt, task.apiKey);
  const traced = new TracedCall(ports.tracing, call, task.subject.indexName);
  let outcome = "done";
  let details: string | undefined;
  try {
    const output = outputOf(task, prompt, documents);
    for await (const words of shownWords(
      modelWords(ports, traced.withTrace(call), signal, cost),
      output,
      signal,
    )) {
      traced.said(words);
      yield words;
    }
  } catch (error) {
    outcome = outcomeOf(error, signal);
    if (error instanceof FindlingError) details = error.details ?? error.message;
    throw error;
  } finally {
    traced.end(outcome, cost);
    const durationMs = ports.clock.now() - startMs;
    ports.journal.called(task.subject, { outcome, details, cost, durationMs });
    task.onCalled?.(toldCall(call, { outcome, cost, durationMs }));
  }
}

function toldCall(
  { provider, model, temperature, system, prompt }: LanguageModelCall,
  { outcome, cost, durationMs }: Pick<CallOutcome, "outcome" | "cost" | "durationMs">,
): SummaryModelCall {
  return {
    provider,
    model,
    temperature,
    system,
    prompt,
    outcome,
    attempts: cost.attempts,
    input_tokens: cost.inputTokens ?? null,
    output_tokens: cost.outputTokens ?? null,
    duration_ms: durationMs,
  };
}

/** Errors that aren't ours are told by their name alone: nobody knows what their messages quote. */
function outcomeOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof FindlingError) return error.code;
  if (signal.aborted) return "given_up";
  return error instanceof Error ? `internal: ${error.name}` : "internal";
}

function outputOf(
  { settings, apiKey }: SummaryTask,
  { system, boundary }: SummaryPrompt,
  documents: readonly string[],
): SummaryOutput {
  return new SummaryOutput({
    known: new KnownAddresses(documents),
    guarded: { system, secrets: apiKey === undefined ? [boundary] : [boundary, apiKey] },
    characterLimit: settings.characterLimit,
  });
}

async function* shownWords(
  said: AsyncIterable<string>,
  output: SummaryOutput,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  let isEmpty = true;
  try {
    for await (const words of said) {
      const shown = output.push(words);
      if (shown !== "") {
        isEmpty = false;
        yield shown;
      }
      if (output.isFull) break;
    }
  } catch (error) {
    // What the filters still hold back was said all the same, unless they hold it back for what it is.
    const brokeOff = error instanceof FindlingError && error.code === "model_unavailable" && !signal.aborted;
    const rest = brokeOff ? output.end().trimEnd() : "";
    if (rest !== "") yield rest;
    throw error;
  }
  const rest = output.end();
  if (rest !== "") yield rest;
  else if (isEmpty) throw new FindlingError("model_unavailable", "the model has not said anything");
}

function callOf(
  { ai, model, temperature, characterLimit }: SummarySettings,
  { system, prompt }: { readonly system: string; readonly prompt: string },
  apiKey: string | undefined,
): LanguageModelCall {
  const { llm_provider: provider, llm_region: region, llm_base_url: baseUrl } = ai;
  return {
    provider,
    model,
    ...(region !== undefined && { region }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    system,
    prompt,
    temperature,
    maxOutputTokens: Math.min(
      OUTPUT_TOKENS_MAX,
      Math.max(OUTPUT_TOKENS_MIN, characterLimit * TOKENS_PER_CHARACTER),
    ),
  };
}
