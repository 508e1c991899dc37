import type { MetricObject } from "prom-client";
import type { MetricFamily, MetricSeries } from "../../ports/metrics.js";

/** A value as prom-client tells it: of a histogram one for each bucket, cumulated, then the sum and the count. */
interface ToldValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

type ToldMetric = MetricObject & { readonly values: readonly ToldValue[] };

/** @param metrics what prom-client's `getMetricsAsJSON` yields */
export function familiesOf(metrics: readonly MetricObject[]): readonly MetricFamily[] {
  return (metrics as readonly ToldMetric[]).map((metric) => {
    const { name, help, values } = metric;
    if (String(metric.type) === "histogram") return histogramOf(name, help, values);
    const kind = String(metric.type) === "counter" ? "counter" : "gauge";
    const series = values.map(({ labels, value }) => ({ labels: textsOf(labels), value }));
    return { name, help, kind, bounds: [], series };
  });
}

function histogramOf(name: string, help: string, values: readonly ToldValue[]): MetricFamily {
  const buckets = values.filter(({ metricName }) => metricName === `${name}_bucket`);
  const sums = values.filter(({ metricName }) => metricName === `${name}_sum`);
  const bounds = [...new Set(buckets.map(({ labels }) => Number(labels["le"])))].filter(Number.isFinite);
  bounds.sort((a, b) => a - b);
  const series = sums.map(({ labels, value }): MetricSeries => {
    const key = keyOf(labels);
    const own = buckets.filter((bucket) => keyOf(bucket.labels) === key);
    const upTo = [...bounds, Infinity].map(
      (bound) => own.find(({ labels: { le } }) => boundOf(le) === bound)?.value ?? 0,
    );
    return { labels: textsOf(labels), value, counts: upTo.map((count, i) => count - (upTo[i - 1] ?? 0)) };
  });
  return { name, help, kind: "histogram", bounds, series };
}

function boundOf(le: string | number | undefined): number {
  return le === "+Inf" ? Infinity : Number(le);
}

function keyOf(labels: ToldValue["labels"]): string {
  const pairs = Object.entries(labels).filter(([name]) => name !== "le");
  return JSON.stringify(pairs.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function textsOf(labels: ToldValue["labels"]): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}
