import { FindlingError } from "../../errors/index.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the `OTEL_` variables ask for; all others of them are the SDK's to read. */
export interface TelemetryWishes {
  readonly traces: boolean;
  readonly metrics: boolean;
  /** Milliseconds between two exports of the metrics. */
  readonly metricIntervalMs: number;
  readonly metricTimeoutMs: number;
  readonly serviceName: string;
}

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
const PROTOCOLS = [
  "OTEL_EXPORTER_OTLP_PROTOCOL",
  "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
  "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
];
const SPOKEN = "http/protobuf";

const METRIC_INTERVAL_MS = 60_000;
const METRIC_TIMEOUT_MS = 30_000;

/**
 * Null where nothing is to be exported: no endpoint is named, or `OTEL_SDK_DISABLED` is true.
 *
 * @throws FindlingError `invalid_configuration` where an exporter or protocol is asked for that isn't there
 */
export function telemetryWishes(environment: Environment): TelemetryWishes | null {
  if (environment["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return null;
  const traces = isWanted(environment, "TRACES");
  const metrics = isWanted(environment, "METRICS");
  if (!traces && !metrics) return null;
  for (const name of PROTOCOLS) {
    const protocol = setIn(environment, name);
    if (protocol !== undefined && protocol !== SPOKEN)
      throw invalid(
        `${name} is '${protocol}', but OTLP is spoken as ${SPOKEN} only; set it to that or unset it`,
      );
  }
  const metricIntervalMs = milliseconds(environment, "OTEL_METRIC_EXPORT_INTERVAL", METRIC_INTERVAL_MS);
  const timeoutMs = milliseconds(environment, "OTEL_METRIC_EXPORT_TIMEOUT", METRIC_TIMEOUT_MS);
  return {
    traces,
    metrics,
    metricIntervalMs,
    // The SDK refuses one that is longer than the interval.
    metricTimeoutMs: Math.min(timeoutMs, metricIntervalMs),
    serviceName: setIn(environment, "OTEL_SERVICE_NAME") ?? "findling",
  };
}

function isWanted(environment: Environment, signal: "TRACES" | "METRICS"): boolean {
  const name = `OTEL_${signal}_EXPORTER`;
  const exporter = setIn(environment, name) ?? "otlp";
  if (exporter === "none") return false;
  const endpoint =
    setIn(environment, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) ?? setIn(environment, ENDPOINT);
  if (endpoint === undefined) return false;
  if (exporter !== "otlp") throw invalid(`${name} is '${exporter}', but there are only 'otlp' and 'none'`);
  return true;
}

function milliseconds(environment: Environment, name: string, byDefault: number): number {
  const text = setIn(environment, name);
  if (text === undefined) return byDefault;
  if (!/^[1-9][0-9]{0,8}$/.test(text))
    throw invalid(`${name} is '${text}', but must be a whole number of milliseconds from 1 to 999999999`);
  return Number(text);
}

/** Empty is as good as absent (OpenTelemetry, *Environment Variable Specification*). */
function setIn(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === "" ? undefined : text;
}

function invalid(problem: string): FindlingError {
  return new FindlingError("invalid_configuration", problem);
}
