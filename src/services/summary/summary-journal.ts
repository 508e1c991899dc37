import type { LlmProvider } from "../../contract/ai-config.js";
import type { LogFields, Logger } from "../../ports/logger.js";
import type { Metrics } from "../../ports/metrics.js";
import type { ModelCallCost } from "./model-call.js";

/** What a line of the log says of every summary. */
export interface SummarySubject {
  readonly indexName: string;
  readonly provider: LlmProvider;
  readonly model: string;
  /** The keyword rule that matched; told here and nowhere else. */
  readonly ruleName: string | undefined;
}

/** What became of one: `done`, `given_up` where all readers left, or the code of the error that ended it. */
export interface CallOutcome {
  readonly outcome: string;
  /** What the operator is told of the error; nothing that the provider said. */
  readonly details: string | undefined;
  readonly durationMs: number;
  readonly cost: ModelCallCost;
}

/** What summaries have cost since the start. */
interface SummaryTotals {
  readonly calls: number;
  /** Calls that failed; those that readers gave up don't count. */
  readonly failedCalls: number;
  readonly cachedAnswers: number;
  readonly emptyAnswers: number;
  /** As far as the providers tell. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly callMs: number;
}

const NOTHING: SummaryTotals = {
  calls: 0,
  failedCalls: 0,
  cachedAnswers: 0,
  emptyAnswers: 0,
  inputTokens: 0,
  outputTokens: 0,
  callMs: 0,
};

/** Counts and logs what summaries cost: a line for each call of a model and each answer that needed none. */
export class SummaryJournal {
  readonly #logger: Logger;
  readonly #metrics: Pick<Metrics, "modelCalled" | "summarizedWithoutCall">;
  #totals: SummaryTotals = NOTHING;

  constructor(logger: Logger, metrics: Pick<Metrics, "modelCalled" | "summarizedWithoutCall">) {
    this.#logger = logger;
    this.#metrics = metrics;
  }

  called(subject: SummarySubject, { outcome, details, durationMs, cost }: CallOutcome): void {
    const { provider, model } = subject;
    this.#metrics.modelCalled({ provider, model, outcome, durationMs, ...cost });
    const before = this.#totals;
    const isFailure = outcome !== "done" && outcome !== "given_up";
    this.#totals = {
      ...before,
      calls: before.calls + 1,
      failedCalls: before.failedCalls + (isFailure ? 1 : 0),
      inputTokens: before.inputTokens + (cost.inputTokens ?? 0),
      outputTokens: before.outputTokens + (cost.outputTokens ?? 0),
      callMs: before.callMs + durationMs,
    };
    this.#line(
      subject,
      outcome,
      {
        ...(details !== undefined && { details }),
        attempts: cost.attempts,
        input_tokens: cost.inputTokens ?? null,
        output_tokens: cost.outputTokens ?? null,
        duration_ms: durationMs,
      },
      isFailure ? "warn" : "info",
    );
  }

  answeredFromCache(subject: SummarySubject): void {
    this.#totals = { ...this.#totals, cachedAnswers: this.#totals.cachedAnswers + 1 };
    this.#metrics.summarizedWithoutCall("cached");
    this.#line(subject, "cached", {});
  }

  foundNothing(subject: SummarySubject): void {
    this.#totals = { ...this.#totals, emptyAnswers: this.#totals.emptyAnswers + 1 };
    this.#metrics.summarizedWithoutCall("empty");
    this.#line(subject, "empty", {});
  }

  /** The totals, where there is anything to tell. */
  close(): void {
    const { calls, failedCalls, cachedAnswers, emptyAnswers, inputTokens, outputTokens, callMs } =
      this.#totals;
    if (calls + cachedAnswers + emptyAnswers === 0) return;
    this.#logger.info("summaries since the start", {
      calls,
      failed_calls: failedCalls,
      cached_answers: cachedAnswers,
      empty_answers: emptyAnswers,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      call_ms: callMs,
    });
  }

  #line(
    { indexName, provider, model, ruleName }: SummarySubject,
    outcome: string,
    more: LogFields,
    level: "info" | "warn" = "info",
  ): void {
    this.#logger[level]("summary", {
      index: indexName,
      ai_provider: provider,
      model,
      outcome,
      cached: outcome === "cached",
      rule_name: ruleName ?? null,
      ...more,
    });
  }
}
