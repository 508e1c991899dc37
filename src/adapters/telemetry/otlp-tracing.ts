import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type {
  FinishedWork,
  OpenCall,
  RequestOutcome,
  RequestTrace,
  SpanAttributes,
  TracedRequest,
  TraceHeaders,
  Tracing,
} from "../../ports/tracing.js";

export interface OtlpTracingOptions {
  readonly tracer: Tracer;
  /** Reads and writes the headers of W3C Trace Context. */
  readonly propagator: TextMapPropagator;
  readonly scheme: "http" | "https";
  readonly recordsTexts: boolean;
}

/** A request that is being answered. */
interface Place {
  readonly span: Span;
  readonly context: Context;
  /** What turns times of `performance.now()` into milliseconds since the epoch, as the clock stood when it began. */
  readonly epochMs: number;
  isOver: boolean;
}

/** All others are `_OTHER`, as who sends could make up any number. */
const METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "CONNECT",
  "TRACE",
]);

/** Spans by OpenTelemetry's SDK, which are named and attributed by its semantic conventions. */
export class OtlpTracing implements Tracing {
  readonly isOn = true;
  readonly recordsTexts: boolean;
  readonly #tracer: Tracer;
  readonly #propagator: TextMapPropagator;
  readonly #scheme: string;
  /** The request whose work is going on. */
  readonly #places = new AsyncLocalStorage<Place>();

  constructor({ tracer, propagator, scheme, recordsTexts }: OtlpTracingOptions) {
    this.#tracer = tracer;
    this.#propagator = propagator;
    this.#scheme = scheme;
    this.recordsTexts = recordsTexts;
  }

  get isRecording(): boolean {
    const place = this.#places.getStore();
    return place !== undefined && !place.isOver && place.span.isRecording();
  }

  beginRequest({ id, method, route, path, headers }: TracedRequest): RequestTrace {
    const parent = this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const known = METHODS.has(method) ? method : "_OTHER";
    const epochMs = Date.now() - performance.now();
    const span = this.#tracer.startSpan(
      route === null ? known : `${known} ${route}`,
      {
        kind: SpanKind.SERVER,
        startTime: epochMs + performance.now(),
        attributes: attributesOf({
          "http.request.method": known,
          "http.route": route ?? undefined,
          "url.path": path,
          "url.scheme": this.#scheme,
          "findling.request_id": id,
        }),
      },
      parent,
    );
    const place: Place = { span, context: trace.setSpan(parent, span), epochMs, isOver: false };
    return {
      traceId: span.spanContext().traceId,
      run: (work) => this.#places.run(place, work),
      end: (outcome) => endRequest(place, outcome),
    };
  }

  record({ name, startMs, endMs, attributes = {} }: FinishedWork): void {
    const place = this.#places.getStore();
    if (place === undefined || place.isOver) return;
    const { context, epochMs } = place;
    const options = { startTime: epochMs + startMs, attributes: attributesOf(attributes) };
    this.#tracer.startSpan(name, options, context).end(epochMs + Math.max(startMs, endMs));
  }

  beginCall(name: string, attributes: SpanAttributes): OpenCall {
    const place = this.#places.getStore();
    // What goes on behind a request that has ended is nobody's.
    if (place === undefined || place.isOver) return { headers: {}, end: () => undefined };
    const { context, epochMs } = place;
    const span = this.#tracer.startSpan(
      name,
      {
        kind: SpanKind.CLIENT,
        startTime: epochMs + performance.now(),
        attributes: attributesOf(attributes),
      },
      context,
    );
    return {
      headers: this.#headersOf(trace.setSpan(context, span)),
      end(more, failure) {
        span.setAttributes(attributesOf({ ...more, "error.type": failure }));
        if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(epochMs + performance.now());
      },
    };
  }

  #headersOf(context: Context): TraceHeaders {
    const headers: Record<string, string> = {};
    this.#propagator.inject(context, headers, defaultTextMapSetter);
    return headers;
  }
}

function endRequest(place: Place, { status, isWhole }: RequestOutcome): void {
  const { span, epochMs } = place;
  span.setAttributes(
    attributesOf({
      "http.response.status_code": status,
      "error.type": status >= 500 ? String(status) : undefined,
      "findling.aborted": isWhole ? undefined : true,
    }),
  );
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(epochMs + performance.now());
  place.isOver = true;
}

function attributesOf(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
