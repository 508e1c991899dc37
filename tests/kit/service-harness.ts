import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileCatalog } from "../../src/adapters/catalog/file-catalog.js";
import { PrometheusMetrics } from "../../src/adapters/metrics/prometheus-metrics.js";
import { DEFAULT_ALLOWED_LLM_BASE_URLS } from "../../src/contract/ai-config.js";
import { DEFAULT_SEARCH_LIMITS } from "../../src/contract/search-body.js";
import { createServices, type ServiceOptions, type Services } from "../../src/services/create-services.js";
import { DEFAULT_CURSOR_LIMITS } from "../../src/services/search/cursor-store.js";
import { FakeLanguageModels } from "./fake-language-models.js";
import { ManualClock } from "./manual-clock.js";
import { MemoryBackend } from "./memory-backend.js";
import { MemoryEventStore } from "./memory-event-store.js";
import { RecordingLogger } from "./recording-logger.js";
import { NO_LOG, STILL_HEALTH } from "./still-server.js";

export const TEST_OPTIONS: ServiceOptions = {
  keys: { configuredKeys: [], authenticationEnabled: true },
  indexes: { putCreates: false, allowedLlmBaseUrls: DEFAULT_ALLOWED_LLM_BASE_URLS },
  search: DEFAULT_SEARCH_LIMITS,
  cursors: DEFAULT_CURSOR_LIMITS,
  maxDocumentsPerRequest: 10_000,
  dictionaries: { entriesMax: 10_000 },
  summaryCalls: { callsPerKey: 0, callsPerIndex: 0, concurrentCalls: 256 },
  measure: { addresses: "full", retentionDays: 0 },
  slowSearchMs: 0,
  settings: [],
};

/** The services over a real catalog in a temporary folder, a back end in memory and time by hand. */
export class ServiceHarness {
  readonly backend: MemoryBackend = new MemoryBackend();
  /** A new one with each start; what it held is gone. */
  eventStore: MemoryEventStore = new MemoryEventStore();
  readonly logger: RecordingLogger = new RecordingLogger();
  readonly languageModels: FakeLanguageModels = new FakeLanguageModels();
  clock: ManualClock = new ManualClock();
  readonly #folder: string;
  readonly #options: ServiceOptions;
  #catalog: FileCatalog | undefined;
  #services: Services | undefined;

  private constructor(folder: string, options: ServiceOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  static async open(options: Partial<ServiceOptions> = {}): Promise<ServiceHarness> {
    const folder = await mkdtemp(join(tmpdir(), "findling-services-"));
    const harness = new ServiceHarness(folder, { ...TEST_OPTIONS, ...options });
    await harness.#start();
    return harness;
  }

  get services(): Services {
    if (this.#services === undefined) throw new Error("the services are not running");
    return this.#services;
  }

  get catalog(): FileCatalog {
    if (this.#catalog === undefined) throw new Error("the services are not running");
    return this.#catalog;
  }

  /** Where the catalog's files are. */
  get catalogFolder(): string {
    return join(this.#folder, "catalog");
  }

  /** Stops everything and starts it on the same data, at a clock without alarms. */
  async restart(): Promise<void> {
    await this.services.stop();
    this.clock = new ManualClock();
    await this.#start();
  }

  async close(): Promise<void> {
    await this.services.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    this.#catalog = await FileCatalog.open(this.catalogFolder, {
      keyFile: join(this.#folder, "secret.key"),
    });
    this.eventStore = new MemoryEventStore();
    const { backend, clock, logger, eventStore, languageModels } = this;
    const metrics = new PrometheusMetrics({ catalog: this.#catalog, eventStore, version: "0.0.0" });
    this.#services = createServices(
      {
        catalog: this.#catalog,
        backend,
        clock,
        logger,
        eventStore,
        languageModels,
        metrics,
        health: STILL_HEALTH,
        log: NO_LOG,
      },
      this.#options,
    );
    await this.#services.start();
  }
}
