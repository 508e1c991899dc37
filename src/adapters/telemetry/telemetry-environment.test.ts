import { describe, expect, test } from "vitest";
import { telemetryWishes } from "./telemetry-environment.js";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

describe("what is exported", () => {
  test.each([
    [{}, null],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: " " }, null],
    [{ ...ENDPOINT, OTEL_SDK_DISABLED: "TRUE" }, null],
    [ENDPOINT, { traces: true, metrics: true }],
    [
      { ...ENDPOINT, OTEL_METRICS_EXPORTER: "none" },
      { traces: true, metrics: false },
    ],
    [
      { ...ENDPOINT, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "otlp" },
      { traces: false, metrics: true },
    ],
    [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }, null],
    [
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/v1/traces" },
      { traces: true, metrics: false },
    ],
    [
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://127.0.0.1:4318/v1/metrics" },
      { traces: false, metrics: true },
    ],
    // Without an endpoint it doesn't matter what by.
    [{ OTEL_TRACES_EXPORTER: "zipkin", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, null],
  ])("%o", (environment, wishes) => {
    if (wishes === null) expect(telemetryWishes(environment)).toBeNull();
    else expect(telemetryWishes(environment)).toMatchObject(wishes);
  });
});

test("intervals and names are the variables', and no time-out is longer than its interval", () => {
  expect(telemetryWishes(ENDPOINT)).toMatchObject({
    metricIntervalMs: 60_000,
    metricTimeoutMs: 30_000,
    serviceName: "findling",
  });
  const environment = { ...ENDPOINT, OTEL_METRIC_EXPORT_INTERVAL: "500", OTEL_SERVICE_NAME: "shop" };
  expect(telemetryWishes(environment)).toMatchObject({
    metricIntervalMs: 500,
    metricTimeoutMs: 500,
    serviceName: "shop",
  });
});

test.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc'"],
  [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" }, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is 'http/json'"],
  [{ OTEL_TRACES_EXPORTER: "zipkin" }, "OTEL_TRACES_EXPORTER is 'zipkin'"],
  [{ OTEL_METRIC_EXPORT_INTERVAL: "often" }, "OTEL_METRIC_EXPORT_INTERVAL is 'often'"],
])("%o is refused", (environment, problem) => {
  expect(() => telemetryWishes({ ...ENDPOINT, ...environment })).toThrow(problem);
});
