import type { MetricFamily } from "../../ports/metrics.js";

export interface QuickHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds, ascending; one without a bound follows. */
  readonly bounds: readonly number[];
}

interface Series {
  readonly labels: string;
  readonly labelled: Readonly<Record<string, string>>;
  /** By bucket, not cumulated. */
  readonly counts: Float64Array;
  sum: number;
}

/**
 * A histogram of Prometheus for what every request observes: a look into a map and two additions, where
 * prom-client's sorts and joins labels each time. Labels must come from small, fixed sets.
 */
export class QuickHistogram {
  readonly #options: QuickHistogramOptions;
  readonly #series = new Map<string, Series>();

  constructor(options: QuickHistogramOptions) {
    this.#options = options;
  }

  /**
   * @param labels values in the order of the names, joined by commas
   * @param value left out if it isn't an amount
   */
  observe(labels: string, value: number): void {
    if (!(value >= 0 && value < Infinity)) return;
    let series = this.#series.get(labels);
    if (series === undefined) {
      series = this.#newSeries(labels);
      this.#series.set(labels, series);
    }
    const { bounds } = this.#options;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket++;
    series.counts[bucket]!++;
    series.sum += value;
  }

  /** In Prometheus' text format 0.0.4, the last line feed included. */
  text(): string {
    const { name, help } = this.#options;
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    for (const { labels, counts, sum } of this.#series.values()) {
      let count = 0;
      for (let bucket = 0; bucket < counts.length; bucket++) {
        count += counts[bucket]!;
        lines.push(`${name}_bucket{le="${this.#options.bounds[bucket] ?? "+Inf"}",${labels}} ${count}`);
      }
      lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`);
    }
    return `${lines.join("\n")}\n`;
  }

  family(): MetricFamily {
    const { name, help, bounds } = this.#options;
    const series = [...this.#series.values()].map(({ labelled, counts, sum }) => ({
      labels: labelled,
      value: sum,
      counts: [...counts],
    }));
    return { name, help, kind: "histogram", bounds, series };
  }

  #newSeries(labels: string): Series {
    const { labelNames, bounds } = this.#options;
    const values = labels.split(",");
    return {
      labels: labelNames.map((name, i) => `${name}="${values[i] ?? ""}"`).join(","),
      labelled: Object.fromEntries(labelNames.map((name, i) => [name, values[i] ?? ""])),
      counts: new Float64Array(bounds.length + 1),
      sum: 0,
    };
  }
}
