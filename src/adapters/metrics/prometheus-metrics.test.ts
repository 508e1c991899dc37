// Properties: the text is well-formed whatever is told; what is told is counted, in seconds and tokens; a
// thousand models make few series; figures that aren't amounts are left out; two servers share nothing.
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Exposition, readExposition } from "../../../tests/kit/exposition.js";
import type { EventStoreStatus } from "../../ports/event-store.js";
import type { ModelCallFigures } from "../../ports/metrics.js";
import { PrometheusMetrics } from "./prometheus-metrics.js";

let status: EventStoreStatus;
let metrics: PrometheusMetrics;
beforeEach(() => {
  status = { kind: "duckdb", isAvailable: true, waitingEvents: 7, waitingBytes: 900, damagedFiles: ["a"] };
  metrics = new PrometheusMetrics({
    catalog: { indexes: () => [] },
    eventStore: { status: () => status },
    version: "1.2.3",
  });
});
afterEach(() => metrics.close());

const read = async (): Promise<Exposition> => readExposition(await metrics.text());
const sampleOf = async (series: string): Promise<number | undefined> => (await read()).samples.get(series);

const CALL: ModelCallFigures = {
  provider: "ollama",
  model: "llama3.2",
  outcome: "done",
  durationMs: 1_500,
  attempts: 2,
  inputTokens: 300,
  outputTokens: 40,
};

test("is of Prometheus' types, with the version and what is looked at", async () => {
  const { types, samples } = await read();
  expect(samples.get('findling_info{version="1.2.3"}')).toBe(1);
  expect(samples.get("findling_indexes")).toBe(0);
  expect(samples.get("findling_events_waiting")).toBe(7);
  expect(samples.get("findling_events_waiting_bytes")).toBe(900);
  expect(samples.get("findling_event_store_up")).toBe(1);
  expect(samples.get("findling_events_damaged_files")).toBe(1);
  expect(types.get("findling_http_request_duration_seconds")).toBe("histogram");
  expect(types.get("findling_documents_added_total")).toBe("counter");
  status = { ...status, isAvailable: false };
  expect(await sampleOf("findling_event_store_up")).toBe(0);
});

test("families tell what the text tells", async () => {
  metrics.requestEnded({ operation: "searchIndex", method: "POST", status: "2xx", durationMs: 30 });
  metrics.searched({ kind: "index", durationMs: 1_000_000 });
  metrics.modelCalled(CALL);
  metrics.modelCalled({ ...CALL, model: "other", durationMs: 100_000_000, inputTokens: 20 });
  metrics.documentsAdded(3);
  const { samples } = await read();
  const told = (await metrics.families()).flatMap(({ name, bounds, series }) =>
    series.flatMap(({ labels, value, counts }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
      const named = (suffix: string, all: readonly string[]): string =>
        `${name}${suffix}${all.length === 0 ? "" : `{${all.join(",")}}`}`;
      if (counts === undefined) return [[named("", pairs), value] as const];
      expect(counts).toHaveLength(bounds.length + 1);
      const upTo = counts.map((_, i) => counts.slice(0, i + 1).reduce((sum, count) => sum + count, 0));
      return [
        ...upTo.map(
          (count, i) => [named("_bucket", [`le="${bounds[i] ?? "+Inf"}"`, ...pairs]), count] as const,
        ),
        [named("_sum", pairs), value] as const,
        [named("_count", pairs), upTo.at(-1)!] as const,
      ];
    }),
  );
  const ours = (name: string): boolean => name.startsWith("findling_");
  const sorted = (all: Iterable<readonly [string, number]>): readonly (readonly [string, number])[] =>
    [...all].filter(([name]) => ours(name)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  expect(sorted(told)).toEqual(sorted(samples));
});

test("tells nothing of events where measuring is off", async () => {
  const off = new PrometheusMetrics({ catalog: { indexes: () => [] }, eventStore: null, version: "1" });
  expect(await off.text()).not.toContain("findling_event");
  off.close();
});

describe("what is told is counted", () => {
  test("requests, while they run and when they have ended", async () => {
    metrics.requestArrived();
    metrics.requestArrived();
    metrics.requestEnded({ operation: "searchIndex", method: "POST", status: "2xx", durationMs: 30 });
    const { samples } = await read();
    const labels = 'operation="searchIndex",method="POST",status="2xx"';
    expect(samples.get("findling_http_requests_running")).toBe(1);
    expect(samples.get(`findling_http_request_duration_seconds_sum{${labels}}`)).toBeCloseTo(0.03, 9);
    expect(samples.get(`findling_http_request_duration_seconds_bucket{le="0.025",${labels}}`)).toBe(0);
    expect(samples.get(`findling_http_request_duration_seconds_bucket{le="0.05",${labels}}`)).toBe(1);
  });

  test("searches and documents", async () => {
    metrics.searched({ kind: "federation", durationMs: 2 });
    metrics.documentsAdded(3);
    metrics.documentsAdded(0);
    metrics.documentsRemoved(2);
    const { samples } = await read();
    expect(samples.get('findling_search_duration_seconds_count{kind="federation"}')).toBe(1);
    expect(samples.get('findling_search_duration_seconds_sum{kind="federation"}')).toBeCloseTo(0.002, 9);
    expect(samples.get("findling_documents_added_total")).toBe(3);
    expect(samples.get("findling_documents_removed_total")).toBe(2);
  });

  test("calls of models: time, attempts and tokens per call", async () => {
    metrics.modelCalled(CALL);
    metrics.modelCalled({ ...CALL, outcome: "internal: TypeError", inputTokens: undefined, outputTokens: 5 });
    metrics.summarizedWithoutCall("cached");
    const { samples } = await read();
    const model = 'provider="ollama",model="llama3.2"';
    const duration = "findling_model_call_duration_seconds";
    expect(samples.get(`${duration}_sum{${model},outcome="done"}`)).toBe(1.5);
    expect(samples.get(`${duration}_count{${model},outcome="internal"}`)).toBe(1);
    expect(samples.get(`findling_model_call_attempts_total{${model}}`)).toBe(4);
    expect(samples.get(`findling_model_call_tokens_sum{${model},direction="input"}`)).toBe(300);
    expect(samples.get(`findling_model_call_tokens_count{${model},direction="input"}`)).toBe(1);
    expect(samples.get(`findling_model_call_tokens_sum{${model},direction="output"}`)).toBe(45);
    expect(samples.get('findling_summaries_without_call_total{reason="cached"}')).toBe(1);
  });
});

test("a thousand models make no more series than the bound allows", async () => {
  for (let i = 0; i < 1_000; i++) metrics.modelCalled({ ...CALL, model: `model-${i}` });
  const counts = [...(await read()).samples].filter(([series]) =>
    series.startsWith("findling_model_call_duration_seconds_count"),
  );
  expect(counts).toHaveLength(51);
  expect(counts.reduce((sum, [, count]) => sum + count, 0)).toBe(1_000);
  const other = 'findling_model_call_duration_seconds_count{provider="ollama",model="other",outcome="done"}';
  expect(await sampleOf(other)).toBe(950);
});

test("the text is well-formed, and telling never fails, whatever is told", async () => {
  const text = fc.string({ unit: "binary" });
  const amount = fc.oneof(fc.double(), fc.nat(), fc.constant(undefined));
  const call = fc.record({ model: text, outcome: text, tokens: amount, durationMs: amount });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 5 }), async (calls) => {
      const told = new PrometheusMetrics({ catalog: { indexes: () => [] }, eventStore: null, version: "1" });
      for (const { model, outcome, tokens, durationMs = 0 } of calls) {
        told.modelCalled({ ...CALL, model, outcome, durationMs, inputTokens: tokens, outputTokens: tokens });
        told.searched({ kind: "index", durationMs });
      }
      const { samples } = readExposition(await told.text());
      told.close();
      for (const [series, value] of samples) {
        if (/^findling_.*_(sum|count)/.test(series)) expect([series, value >= 0]).toEqual([series, true]);
      }
    }),
    { numRuns: 50 },
  );
});

test("servers in one process share no figures", async () => {
  const other = new PrometheusMetrics({ catalog: { indexes: () => [] }, eventStore: null, version: "1" });
  other.documentsAdded(5);
  expect(await sampleOf("findling_documents_added_total")).toBe(0);
  other.close();
});

describe("the process", () => {
  test("is told of under the names that ready-made dashboards use", async () => {
    const { samples } = await read();
    const names = new Set([...samples.keys()].map((series) => series.split("{", 1)[0]));
    for (const name of [
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "process_start_time_seconds",
      "nodejs_heap_size_used_bytes",
      "nodejs_eventloop_lag_seconds",
      "nodejs_eventloop_lag_p99_seconds",
      "nodejs_version_info",
    ]) {
      expect(names).toContain(name);
    }
    expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(1e6);
    expect(samples.get("process_start_time_seconds")).toBeLessThan(Date.now() / 1000);
  });

  test("a blocked event loop shows in the greatest delay, until that was told", async () => {
    // Watched from the first look.
    expect(await sampleOf("nodejs_eventloop_lag_max_seconds")).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const end = performance.now() + 400;
    while (performance.now() < end);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const greatest = await sampleOf("nodejs_eventloop_lag_max_seconds");
    expect(greatest).toBeGreaterThan(0.3);
    expect(await sampleOf("nodejs_eventloop_lag_max_seconds")).not.toBe(greatest);
  });
});
