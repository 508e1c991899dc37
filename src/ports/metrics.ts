import type { LlmProvider } from "../contract/ai-config.js";
import type { OperationId } from "../contract/route-table.js";

/** One call of a language model, its retries included. */
export interface ModelCallFigures {
  readonly provider: LlmProvider;
  /** The provider's name of the model, as the index has it. */
  readonly model: string;
  /** `done`, `given_up`, or the code of the error that ended it; what follows a colon isn't counted apart. */
  readonly outcome: string;
  readonly durationMs: number;
  readonly attempts: number;
  /** Undefined where the provider doesn't tell. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export interface SearchFigures {
  /** Who searched: a request to an index, one to a federation, or a summary of an index's hits. */
  readonly kind: "index" | "federation" | "summary";
  readonly durationMs: number;
}

export interface RequestFigures {
  /** `documentation`: one of its pages; `none`: no route took the request. */
  readonly operation: OperationId | "documentation" | "none";
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "other";
  /** The status's class; `aborted`: the caller left before the end of the answer. */
  readonly status: "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | "aborted";
  /** From its arrival to the end of its answer. */
  readonly durationMs: number;
}

/**
 * What operators' monitoring is told. Nothing of it holds search terms, keys or names of indexes, and
 * however many models clients name, the figures stay few. Telling never throws.
 */
export interface Metrics {
  requestArrived(): void;
  /** Once for each that arrived. */
  requestEnded(request: RequestFigures): void;
  searched(search: SearchFigures): void;
  documentsAdded(count: number): void;
  documentsRemoved(count: number): void;
  modelCalled(call: ModelCallFigures): void;
  /** A summary for which no model was called: it was in the cache, or nothing was found. */
  summarizedWithoutCall(reason: "cached" | "empty"): void;

  /** Everything told so far, and how the process fares, in Prometheus' text format 0.0.4. */
  text(): Promise<string>;
  /** Ends what watches the process; nobody asks after it. */
  close(): void;
}

/** One series of a metric. */
export interface MetricSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** What was counted or measured; for a histogram, what all observations add up to. */
  readonly value: number;
  /** Observations of a histogram by bucket, not cumulated: one more than it has bounds. */
  readonly counts?: readonly number[];
}

/** All series of one metric, as they stand. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly kind: "counter" | "gauge" | "histogram";
  /** Upper bounds of a histogram's buckets, ascending, without the infinite one; none of other metrics. */
  readonly bounds: readonly number[];
  readonly series: readonly MetricSeries[];
}
