import { type HrTime, ValueType } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { MetricFamily, MetricSeries } from "../../ports/metrics.js";

/** Hands the figures of `/metrics` to OpenTelemetry's SDK, under their own names: what is counted is counted once. */
export class FamilyProducer implements MetricProducer {
  readonly #families: () => Promise<readonly MetricFamily[]>;
  readonly #resource: Resource;
  readonly #startTime: HrTime = hrTimeOf(Date.now());

  constructor(families: () => Promise<readonly MetricFamily[]>, resource: Resource) {
    this.#families = families;
    this.#resource = resource;
  }

  async collect(): Promise<CollectionResult> {
    const families = await this.#families();
    const endTime = hrTimeOf(Date.now());
    const metrics = families
      .filter(({ series }) => series.length > 0)
      .map((family) => metricOf(family, this.#startTime, endTime));
    const scopeMetrics = [{ scope: { name: "findling" }, metrics }];
    return { resourceMetrics: { resource: this.#resource, scopeMetrics }, errors: [] };
  }
}

function metricOf(family: MetricFamily, startTime: HrTime, endTime: HrTime): MetricData {
  const { name, help, kind, bounds, series } = family;
  const common = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const point = <Value>({ labels }: MetricSeries, value: Value) => ({
    startTime,
    endTime,
    attributes: labels,
    value,
  });
  if (kind === "gauge") {
    const dataPoints = series.map((each) => point(each, each.value));
    return { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
  }
  if (kind === "counter") {
    const dataPoints = series.map((each) => point(each, each.value));
    return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  }
  const dataPoints = series.map((each) => {
    const counts = [...(each.counts ?? [])];
    const count = counts.reduce((sum, some) => sum + some, 0);
    return point(each, { buckets: { boundaries: [...bounds], counts }, sum: each.value, count });
  });
  return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
}

/** In UCUM's notation, as OpenTelemetry has it. */
function unitOf(name: string): string {
  const base = name.replace(/_total$/, "");
  if (base.endsWith("_seconds")) return "s";
  return base.endsWith("_bytes") ? "By" : "1";
}

function hrTimeOf(epochMs: number): HrTime {
  return [Math.trunc(epochMs / 1000), (epochMs % 1000) * 1e6];
}
