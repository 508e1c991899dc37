import type { SummaryEvent, SummaryModelCall, SummarySource } from "../../contract/summary.js";
import { type ErrorCode, FindlingError } from "../../errors/index.js";

export interface SummaryAnswerOptions {
  readonly isCached: boolean;
  readonly sources: readonly SummarySource[];
  readonly showsSources: boolean;
  /** Called after the last piece; undefined where nobody asked for it, or no model was called. */
  readonly modelCall: () => SummaryModelCall | undefined;
  /** The summary's pieces for one reader, who is there until the signal's abort. */
  readonly text: (signal: AbortSignal) => AsyncIterable<string>;
}

/** The events of one summary for one reader (contract 3.6). */
export class SummaryAnswer {
  readonly #options: SummaryAnswerOptions;

  constructor(options: SummaryAnswerOptions) {
    this.#options = options;
  }

  /** To be called once; the reader counts from the call on. */
  events(signal: AbortSignal): AsyncGenerator<SummaryEvent, void, undefined> {
    return this.#tell(this.#options.text(signal));
  }

  /**
   * The summary alone, in place of its events.
   *
   * @throws FindlingError with the code of what went wrong
   */
  text(signal: AbortSignal): AsyncIterable<string> {
    return this.#tellText(this.#options.text(signal));
  }

  /** The last event where the stream can't be brought to its own end. */
  lastWords(reason: "stopping" | "failed"): SummaryEvent {
    return errorEvent(reason === "stopping" ? "shutting_down" : "internal");
  }

  async *#tellText(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
    try {
      yield* text;
    } catch (error) {
      throw answerable(error);
    }
  }

  async *#tell(text: AsyncIterable<string>): AsyncGenerator<SummaryEvent, void, undefined> {
    const { isCached, sources, showsSources } = this.#options;
    const results_count = sources.length;
    yield { name: "metadata", data: { results_count, cached: isCached } };
    try {
      for await (const content of text) yield { name: "delta", data: { content } };
    } catch (error) {
      yield* this.#callEvents();
      yield errorEvent(error instanceof FindlingError ? error.code : "internal");
      return;
    }
    yield* this.#callEvents();
    if (showsSources) yield { name: "sources", data: { sources } };
    yield { name: "done", data: { results_count } };
  }

  *#callEvents(): Generator<SummaryEvent, void, undefined> {
    const data = this.#options.modelCall();
    if (data !== undefined) yield { name: "model_call", data };
  }
}

/** Errors with their general messages, so that they may be answered. */
function answerable(error: unknown): FindlingError {
  const code = error instanceof FindlingError ? error.code : "internal";
  return new FindlingError(code, messageOf(code), { cause: error });
}

/** General messages: what the provider said is not for readers. */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  model_refused: "the language model can't be used for this summary; its settings may need a look",
  model_overloaded: "the language model is busy; try again later",
  model_unavailable: "the language model did not answer to the end; try again later",
  shutting_down: "the server is shutting down; try again later",
};

function errorEvent(code: ErrorCode): SummaryEvent {
  return { name: "error", data: { message: messageOf(code) } };
}

function messageOf(code: ErrorCode): string {
  return MESSAGES[code] ?? "the summary failed";
}
