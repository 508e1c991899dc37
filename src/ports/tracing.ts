/** Values of a span; undefined ones are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** What hands a trace on to whoever is asked (W3C Trace Context): `traceparent`, and `tracestate` if there is one. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** Work that is over; times are milliseconds of `performance.now()`. */
export interface FinishedWork {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes?: SpanAttributes;
}

/** Work that another server does. */
export interface OpenCall {
  /** For the request to that server. */
  readonly headers: TraceHeaders;
  /** To be called once. @param failure the code of what ended it, where it failed */
  end(attributes: SpanAttributes, failure?: string): void;
}

/** A request as it arrived. */
export interface TracedRequest {
  readonly id: string;
  readonly method: string;
  /** Path of the route that takes it, as the table has it; null where none does. */
  readonly route: string | null;
  /** As it may be logged. */
  readonly path: string;
  /** As they came, names in small letters. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** How a request ended. */
export interface RequestOutcome {
  readonly status: number;
  /** False: the caller has gone before. */
  readonly isWhole: boolean;
}

/** What is gathered about one request. */
export interface RequestTrace {
  /** 32 hex digits; names the trace in the log. */
  readonly traceId: string;
  /** Runs what answers the request: all that it does, later too, belongs to it until it has ended. */
  run<T>(work: () => T): T;
  /** To be called once. */
  end(outcome: RequestOutcome): void;
}

/**
 * Traces: what requests are made of, and how long each part took. What is recorded belongs to the request whose work is
 * going on. Nothing that is recorded holds keys, and no search terms or prompts unless `recordsTexts`. Never throws.
 */
export interface Tracing {
  /** Whether anything is traced at all. */
  readonly isOn: boolean;
  /** Whether anybody gets to see what would be recorded now. */
  readonly isRecording: boolean;
  /** Whether search terms, prompts and what models say may be recorded. */
  readonly recordsTexts: boolean;
  /** Null where nothing is traced. A trace of the caller's is gone on with. */
  beginRequest(request: TracedRequest): RequestTrace | null;
  record(work: FinishedWork): void;
  /** Work that is begun now, of another server. */
  beginCall(name: string, attributes: SpanAttributes): OpenCall;
}

const UNTRACED_CALL: OpenCall = { headers: {}, end: () => undefined };

/** What there is where nothing is traced. */
export const NO_TRACING: Tracing = {
  isOn: false,
  isRecording: false,
  recordsTexts: false,
  beginRequest: () => null,
  record: () => undefined,
  beginCall: () => UNTRACED_CALL,
};
