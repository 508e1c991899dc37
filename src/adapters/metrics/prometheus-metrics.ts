import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Catalog } from "../../ports/catalog.js";
import type { EventStore } from "../../ports/event-store.js";
import type {
  MetricFamily,
  Metrics,
  ModelCallFigures,
  RequestFigures,
  SearchFigures,
} from "../../ports/metrics.js";
import type { StorageHealth } from "../../ports/storage-health.js";
import { BoundedLabels } from "./bounded-labels.js";
import { ProcessMetrics } from "./process-metrics.js";
import { QuickHistogram } from "./quick-histogram.js";
import { familiesOf } from "./registry-families.js";

/** A cache of searches, since the start. */
export interface CacheFigures {
  readonly name: string;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
}

/** How requests to the cluster that holds everything have fared since the start. */
interface ClusterHealth extends StorageHealth {
  readonly outcomes: Readonly<Record<string, number>>;
}

/** What is looked at whenever the metrics are asked for. */
export interface PrometheusMetricsSources {
  readonly catalog: Pick<Catalog, "indexes">;
  /** Null: measuring is off, and nothing is told of events. */
  readonly eventStore: Pick<EventStore, "status"> | null;
  /** What the caches of searches take and have answered; none where it isn't given. */
  readonly searchCaches?: () => readonly CacheFigures[];
  /** Absent: there is no cluster. */
  readonly cluster?: ClusterHealth;
  /** Log lines that couldn't be written since the start; none where it isn't given. */
  readonly lostLogLines?: () => number;
  /** The package's version. */
  readonly version: string;
}

/** Pairs of provider and model that are told apart. */
const MODELS_MAX = 50;

/** Seconds. Searches take milliseconds, and requests that wait for a model up to five minutes. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
const SEARCH_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const MODEL_BUCKETS = [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320];
const TOKEN_BUCKETS = [16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144];

/** The metrics in memory, in a registry of their own: several servers in one process don't share figures. */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #process: ProcessMetrics = new ProcessMetrics(this.#registry);
  readonly #models = new BoundedLabels(MODELS_MAX);

  readonly #requests: QuickHistogram = new QuickHistogram({
    name: "findling_http_request_duration_seconds",
    help: "Time from a request's arrival to the end of its answer, streams included.",
    labelNames: ["operation", "method", "status"],
    bounds: REQUEST_BUCKETS,
  });
  readonly #searches: QuickHistogram = new QuickHistogram({
    name: "findling_search_duration_seconds",
    help: "Time that a search took that succeeded, as time_taken in its answer.",
    labelNames: ["kind"],
    bounds: SEARCH_BUCKETS,
  });
  #running = 0;
  /** What the last request was. */
  #last: Record<"operation" | "method" | "status" | "labels", string> = {
    operation: "",
    method: "",
    status: "",
    labels: "",
  };
  readonly #added = new Counter({
    name: "findling_documents_added_total",
    help: "Documents that were accepted, committed or not.",
    registers: [this.#registry],
  });
  readonly #removed = new Counter({
    name: "findling_documents_removed_total",
    help: "Documents whose deletion was accepted, committed or not.",
    registers: [this.#registry],
  });
  readonly #calls = new Histogram({
    name: "findling_model_call_duration_seconds",
    help: "Time from the first attempt of a language model's call to its end.",
    labelNames: ["provider", "model", "outcome"],
    buckets: MODEL_BUCKETS,
    registers: [this.#registry],
  });
  readonly #attempts = new Counter({
    name: "findling_model_call_attempts_total",
    help: "Requests made to providers of language models, retries included.",
    labelNames: ["provider", "model"],
    registers: [this.#registry],
  });
  readonly #tokens = new Histogram({
    name: "findling_model_call_tokens",
    help: "Tokens of a language model's call, where the provider tells.",
    labelNames: ["provider", "model", "direction"],
    buckets: TOKEN_BUCKETS,
    registers: [this.#registry],
  });
  readonly #withoutCall = new Counter({
    name: "findling_summaries_without_call_total",
    help: "Summaries answered without a language model: from the cache, or as nothing was found.",
    labelNames: ["reason"],
    registers: [this.#registry],
  });

  constructor(sources: PrometheusMetricsSources) {
    this.#tellOfServer(sources);
    if (sources.searchCaches !== undefined) this.#tellOfCaches(sources.searchCaches);
    if (sources.cluster !== undefined) this.#tellOfCluster(sources.cluster);
    if (sources.eventStore !== null) this.#tellOfEvents(sources.eventStore);
  }

  requestArrived(): void {
    this.#running++;
  }

  requestEnded(figures: RequestFigures): void {
    this.#running--;
    const last = this.#last;
    // Most are of the same kind as the one before: its text is a key that the map knows by identity.
    if (
      figures.operation !== last.operation ||
      figures.method !== last.method ||
      figures.status !== last.status
    ) {
      const { operation, method, status } = figures;
      this.#last = { operation, method, status, labels: `${operation},${method},${status}` };
    }
    this.#requests.observe(this.#last.labels, figures.durationMs / 1000);
  }

  searched({ kind, durationMs }: SearchFigures): void {
    this.#searches.observe(kind, durationMs / 1000);
  }

  documentsAdded(count: number): void {
    this.#added.inc(count);
  }

  documentsRemoved(count: number): void {
    this.#removed.inc(count);
  }

  modelCalled(call: ModelCallFigures): void {
    const { provider, durationMs, attempts, inputTokens, outputTokens } = call;
    const model = this.#models.labelOf(call.model, provider);
    const outcome = call.outcome.split(":", 1)[0] ?? "";
    observe(this.#calls, { provider, model, outcome }, durationMs / 1000);
    this.#attempts.inc({ provider, model }, attempts);
    observe(this.#tokens, { provider, model, direction: "input" }, inputTokens);
    observe(this.#tokens, { provider, model, direction: "output" }, outputTokens);
  }

  summarizedWithoutCall(reason: "cached" | "empty"): void {
    this.#withoutCall.inc({ reason });
  }

  async text(): Promise<string> {
    const text = await this.#registry.metrics();
    this.#process.startSpan();
    return text + this.#requests.text() + this.#searches.text();
  }

  /** What `text` tells, for those who write it in another format. */
  async families(): Promise<readonly MetricFamily[]> {
    const families = familiesOf(await this.#registry.getMetricsAsJSON());
    this.#process.startSpan();
    return [...families, this.#requests.family(), this.#searches.family()];
  }

  close(): void {
    this.#process.close();
  }

  #tellOfServer({ catalog, lostLogLines = () => 0, version }: PrometheusMetricsSources): void {
    const info = new Gauge({
      name: "findling_info",
      help: "The version of Findling.",
      labelNames: ["version"],
      registers: [this.#registry],
    });
    info.set({ version }, 1);
    this.#gauge("findling_http_requests_running", "Requests that are being answered.", () => this.#running);
    this.#gauge("findling_indexes", "Indexes that there are.", () => catalog.indexes().length);
    const lost = new Counter({
      name: "findling_log_lines_lost_total",
      help: "Log lines that couldn't be written: a full disk, or a reader that doesn't read.",
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(lostLogLines());
      },
    });
    lost.inc(0);
  }

  #tellOfCaches(figuresOf: () => readonly CacheFigures[]): void {
    const registers = [this.#registry];
    new Gauge({
      name: "findling_search_cache_bytes",
      help: "What caches of searches take in memory, about, over all threads.",
      labelNames: ["cache"],
      registers,
      collect() {
        for (const { name, bytes } of figuresOf()) this.set({ cache: name }, bytes);
      },
    });
    for (const [kind, help] of [
      ["hits", "What caches of searches had when they were asked."],
      ["misses", "What caches of searches hadn't got, so that it was worked out."],
    ] as const) {
      new Counter({
        name: `findling_search_cache_${kind}_total`,
        help,
        labelNames: ["cache"],
        registers,
        collect() {
          this.reset();
          for (const figures of figuresOf()) this.inc({ cache: figures.name }, figures[kind]);
        },
      });
    }
  }

  #tellOfCluster(cluster: ClusterHealth): void {
    this.#gauge(
      "findling_cluster_up",
      "0 while requests are kept from the OpenSearch cluster, as it doesn't answer.",
      () => (cluster.problem === null ? 1 : 0),
    );
    new Counter({
      name: "findling_cluster_requests_total",
      help: "Requests to the OpenSearch cluster by what became of them; refused ones weren't sent.",
      labelNames: ["outcome"],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [outcome, count] of Object.entries(cluster.outcomes)) this.inc({ outcome }, count);
      },
    });
  }

  #tellOfEvents(store: Pick<EventStore, "status">): void {
    this.#gauge(
      "findling_events_waiting",
      "Usage events that are on disk and not in their store yet.",
      () => store.status().waitingEvents,
    );
    this.#gauge(
      "findling_events_waiting_bytes",
      "Size of the waiting usage events, in bytes.",
      () => store.status().waitingBytes,
    );
    this.#gauge(
      "findling_event_store_up",
      "1 where the store of usage events last did what it was asked.",
      () => (store.status().isAvailable ? 1 : 0),
    );
    this.#gauge(
      "findling_events_damaged_files",
      "Files of waiting usage events that can't be read.",
      () => store.status().damagedFiles.length,
    );
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }
}

/**
 * Leaves out what isn't an amount: clocks are set back, what providers tell is theirs, and a figure that the
 * package refuses must not become the failure of what it is about.
 */
function observe<Label extends string>(
  histogram: Histogram<Label>,
  labels: Readonly<Record<Label, string>>,
  value: number | undefined,
): void {
  if (value !== undefined && Number.isFinite(value) && value >= 0) histogram.observe(labels, value);
}
