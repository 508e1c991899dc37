/** OpenTelemetry's SDK, all of it in one place: nothing of it is loaded unless something is exported. */
import { DiagLogLevel, diag } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Logger } from "../../ports/logger.js";
import type { MetricFamily } from "../../ports/metrics.js";
import { NO_TRACING, type Tracing } from "../../ports/tracing.js";
import { FamilyProducer } from "./family-producer.js";
import { OtlpTracing } from "./otlp-tracing.js";
import type { TelemetryWishes } from "./telemetry-environment.js";

export interface OtlpOptions {
  readonly wishes: TelemetryWishes;
  /** The package's version. */
  readonly version: string;
  readonly scheme: "http" | "https";
  readonly recordsTexts: boolean;
  readonly families: () => Promise<readonly MetricFamily[]>;
  readonly logger: Pick<Logger, "warn">;
}

export interface Otlp {
  readonly tracing: Tracing;
  /** Sends what is left, and sends nothing from then on. */
  close(): Promise<void>;
}

/** A collector that is away is told of once in so long. */
const PROBLEM_INTERVAL_MS = 60_000;
const PROBLEM_LENGTH_MAX = 300;

export function openOtlp(options: OtlpOptions): Otlp {
  const { wishes } = options;
  tellOfProblems(options.logger);
  const resource = resourceOf(options);
  const traces = wishes.traces
    ? new BasicTracerProvider({
        resource,
        spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
      })
    : null;
  const metrics = wishes.metrics ? meterProvider(options, resource) : null;
  return {
    tracing:
      traces === null
        ? NO_TRACING
        : new OtlpTracing({
            tracer: traces.getTracer("findling", options.version),
            propagator: new W3CTraceContextPropagator(),
            scheme: options.scheme,
            recordsTexts: options.recordsTexts,
          }),
    async close() {
      await Promise.allSettled([traces?.shutdown(), metrics?.shutdown()]);
    },
  };
}

function meterProvider({ wishes, families }: OtlpOptions, resource: Resource): MeterProvider {
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis: wishes.metricIntervalMs,
    exportTimeoutMillis: wishes.metricTimeoutMs,
    metricProducers: [new FamilyProducer(families, resource)],
  });
  return new MeterProvider({ resource, readers: [reader] });
}

/** What the process was started with is left out, as keys may be among it. */
function resourceOf({ wishes, version }: OtlpOptions): Resource {
  const own = resourceFromAttributes({
    "service.name": wishes.serviceName,
    "service.version": version,
    "service.instance.id": crypto.randomUUID(),
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [hostDetector, envDetector] }));
}

/** The SDK's complaints, cut short, as they hold whatever a collector has answered. */
function tellOfProblems(logger: OtlpOptions["logger"]): void {
  let toldMs = -Infinity;
  const tell = (message: string): void => {
    const nowMs = performance.now();
    if (nowMs - toldMs < PROBLEM_INTERVAL_MS) return;
    toldMs = nowMs;
    logger.warn("OpenTelemetry can't export", { problem: message.slice(0, PROBLEM_LENGTH_MAX) });
  };
  const silent = (): void => undefined;
  diag.setLogger(
    { error: tell, warn: tell, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
